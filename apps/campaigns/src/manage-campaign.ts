import type { Campaign } from '@herald/contracts/campaign'
import { fault, notFound, type Fault } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { listed, readCursor, type Listed, type ListRequest } from '@herald/contracts/page'
import type { CampaignStatus } from '@herald/contracts/stats'
import { isCancelling } from './core/campaign.ts'
import { countFitting } from './core/list-bytes.ts'
import { deleteDraft, findCampaigns, findWhole, type CampaignRow } from './store/campaigns.ts'
import { insertDuplicate } from './store/copies.ts'
import { isErased } from './store/erased-apps.ts'
import type { Db } from './store/tables.ts'

type One = { appId: string; campaignId: string }
type Asked = ListRequest & {
  appId: string
  status?: CampaignStatus | undefined
  transactional?: boolean | undefined
  test?: boolean | undefined
}

/** Fault: invalid_body at `cursor`. */
export async function listCampaigns(
  db: Db,
  { appId, limit, cursor, q, status, transactional, test = false }: Asked,
): Promise<Listed<Campaign>> {
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const { rows, examinedTo } = await findCampaigns(db, appId, { status, transactional, test, prefix: q }, { limit, after })
  const places = rows.map((row) => ({ id: row.id, createdAt: row.created_at, campaign: toCampaign(row) }))
  const fitting = countFitting(places.map(({ campaign }) => campaign))
  return listed(places, Math.min(limit, fitting), ({ campaign }) => campaign, examinedTo)
}

/** Fault: not_found. */
export async function getCampaign(db: Db, { appId, campaignId }: One): Promise<Campaign> {
  const row = await findWhole(db, appId, campaignId)
  if (!row) throw notFound()
  return toCampaign(row)
}

/** Faults: not_found; invalid_state when it is no draft. */
export async function deleteCampaign(db: Db, { appId, campaignId }: One): Promise<Record<string, never>> {
  if (await deleteDraft(db, appId, campaignId)) return {}
  throw noDraft((await getCampaign(db, { appId, campaignId })).status)
}

/** Makes a draft like it, whatever its status. Faults: not_found; invalid_state for a notification to single users. */
export async function duplicateCampaign(db: Db, { appId, campaignId }: One): Promise<Campaign> {
  const id = newId()
  if (await insertDuplicate(db, { id, appId, of: campaignId })) return getCampaign(db, { appId, campaignId: id })
  await getCampaign(db, { appId, campaignId })
  if (await isErased(db, appId)) throw notFound()
  throw fault('invalid_state', 'Only a send to a segment or to everyone can be duplicated.')
}

export const noDraft = (status: CampaignStatus): Fault =>
  fault('invalid_state', `The campaign is ${status === 'draft' ? 'not a draft any more' : status}; only a draft can be changed or deleted.`)

function toCampaign(row: CampaignRow): Campaign {
  const { id, name, status, transactional, content, schedule, experiment, silent, data, ttl, priority, presentation, bypass, failure } = row
  const waits = status === 'scheduled' || status === 'active'
  return {
    id,
    name,
    status,
    transactional,
    content,
    templateId: row.template_id,
    segment: row.target?.kind === 'segment' ? row.target.segment : null,
    segmentId: row.segment_id,
    schedule,
    experiment,
    silent,
    data,
    ttl,
    collapseId: row.collapse_id,
    priority,
    presentation,
    bypass,
    recurringOf: row.recurring_of,
    remainderOf: row.remainder_of,
    test: row.test === true,
    failure,
    cancelling: isCancelling(row),
    nextAt: waits ? toIso(row.due_at) : null,
    missedCount: row.missed_count,
    createdAt: row.created_at.toISOString(),
    startedAt: toIso(row.started_at),
    settledAt: toIso(row.settled_at),
  }
}

const toIso = (at: Date | null): string | null => at && at.toISOString()
