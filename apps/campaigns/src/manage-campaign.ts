import { mostShownIds, type Campaign, type CampaignAudience, type NamedBy } from '@herald/contracts/campaign'
import { fault, notFound, type Fault } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { listed, readCursor, type Listed, type ListRequest } from '@herald/contracts/page'
import type { CampaignStatus } from '@herald/contracts/stats'
import { isErased } from '@herald/service/erased-apps'
import { transact } from '@herald/service/postgres'
import { tooManyDrafts } from './accept-campaigns.ts'
import type { Campaigns } from './campaigns.ts'
import { isCancelling } from './core/campaign.ts'
import { countFitting } from './core/list-bytes.ts'
import { deleteDraft, findCampaign, findWhole, type CampaignRow } from './store/campaigns.ts'
import { listRecalls } from './store/recalls.ts'
import { insertDuplicate } from './store/copies.ts'
import { roomForDrafts } from './store/limits.ts'
import { findCampaigns } from './store/listed-campaigns.ts'

type One = { appId: string; campaignId: string }
type Asked = ListRequest & {
  appId: string
  status?: CampaignStatus | undefined
  transactional?: boolean | undefined
  test?: boolean | undefined
  author?: string | undefined
  audience?: CampaignAudience['kind'] | undefined
  from?: string | undefined
  to?: string | undefined
}

/** Lists an app's campaigns by pages, newest first. Fault: invalid_body at `cursor`. */
export async function listCampaigns(
  { db }: Pick<Campaigns, 'db'>,
  { appId, limit, cursor, q, test = false, ...filter }: Asked,
): Promise<Listed<Campaign>> {
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const { rows, examinedTo } = await findCampaigns(db, appId, { ...filter, test, inName: q }, { limit, after })
  const places = rows.map((row) => ({ id: row.id, createdAt: row.createdAt, campaign: toCampaign(row) }))
  const fitting = countFitting(places.map(({ campaign }) => campaign))
  return listed(places, Math.min(limit, fitting), ({ campaign }) => campaign, examinedTo)
}

/** Gives what the public API answers about a campaign; null when the campaign is unknown or belongs to another app. */
export async function readCampaign(
  { db }: Pick<Campaigns, 'db'>,
  { appId, campaignId }: One,
): Promise<Pick<Campaign, 'id' | 'name' | 'status' | 'cancelling' | 'transactional' | 'createdAt'> | null> {
  const row = await findCampaign(db, appId, campaignId)
  if (!row) return null
  const { id, name, status, transactional, createdAt } = row
  return { id, name, status, cancelling: isCancelling(row), transactional, createdAt: createdAt.toISOString() }
}

/** Gives every field of a campaign, for the administration. Fault: not_found. */
export async function getCampaign({ db }: Pick<Campaigns, 'db'>, { appId, campaignId }: One): Promise<Campaign> {
  const [row, recalls] = await Promise.all([findWhole(db, appId, campaignId), listRecalls(db, { appId, campaignId })])
  if (!row) throw notFound()
  return { ...toCampaign(row), ...(recalls.length > 0 && { recalls }) }
}

/** Deletes a draft. Faults: not_found; invalid_state for a campaign that is not a draft. */
export async function deleteCampaign({ db }: Pick<Campaigns, 'db'>, { appId, campaignId }: One): Promise<Record<string, never>> {
  if (await deleteDraft(db, appId, campaignId)) return {}
  throw noDraft((await getCampaign({ db }, { appId, campaignId })).status)
}

/** Makes a draft that is a copy of a campaign in any status. Faults: not_found; invalid_state for a notification that names users or devices; limit_reached. */
export async function duplicateCampaign(
  { db }: Pick<Campaigns, 'db'>,
  { appId, campaignId, author = null }: One & { author?: string | null | undefined },
): Promise<Campaign> {
  const id = newId()
  const isMade = await transact(db, async (trx) => {
    const room = await roomForDrafts(trx, appId)
    const isDone = await insertDuplicate(trx, { id, appId, of: campaignId, author })
    if (isDone && room < 1) throw tooManyDrafts()
    return isDone
  })
  if (isMade) return getCampaign({ db }, { appId, campaignId: id })
  await getCampaign({ db }, { appId, campaignId })
  if (await isErased(db, appId)) throw notFound()
  throw fault('invalid_state', 'Only a send to a segment or to everyone can be duplicated.')
}

export const noDraft = (status: CampaignStatus): Fault =>
  fault('invalid_state', `The campaign is ${status === 'draft' ? 'not a draft any more' : status}; only a draft can be changed or deleted.`)

function toCampaign(row: CampaignRow): Campaign {
  const { id, name, status, transactional, content, schedule, experiment, silent, data, ttl, priority, presentation, bypass } = row
  const waits = status === 'scheduled' || status === 'active'
  return {
    id,
    name,
    status,
    transactional,
    content,
    templateId: row.templateId,
    segment: row.target?.kind === 'segment' ? row.target.segment : null,
    segmentId: row.segmentId,
    audience: audienceOf(row),
    schedule,
    experiment,
    winner: row.winner && { ...row.winner, at: new Date(row.winner.at).toISOString() },
    silent,
    data,
    ttl,
    collapseId: row.collapseId,
    priority,
    presentation,
    overrides: row.overrides,
    category: row.category?.id ?? null,
    inbox: row.inbox,
    bypass,
    ...activityOf(row),
    sendRate: row.perMinute ? { perMinute: row.perMinute } : null,
    recurringOf: row.recurringOf,
    remainderOf: row.remainder?.of ?? null,
    recallOf: row.recallOf,
    author: row.author,
    test: row.test === true,
    failure: row.failure,
    cancelling: isCancelling(row),
    nextAt: waits ? toIso(row.dueAt) : null,
    missedCount: row.missedCount,
    createdAt: row.createdAt.toISOString(),
    startedAt: toIso(row.startedAt),
    settledAt: toIso(row.settledAt),
  }
}

const activityOf = ({ activity }: CampaignRow): Pick<Campaign, 'activity'> => {
  if (!activity) return {}
  const { activityId, event, attributesType, timestamp } = activity
  return { activity: { activityId, event, attributesType, timestamp } }
}

function audienceOf({ target, forgotten, remainder, segmentId, test }: CampaignRow): CampaignAudience {
  const named = (by: NamedBy, count: number, ids: string[] | null): CampaignAudience => ({
    kind: test === true ? 'test' : 'people',
    by,
    count,
    ids: ids && ids.slice(0, mostShownIds),
  })
  if (forgotten) return named(forgotten.by, forgotten.count, null)
  if (remainder) return { kind: 'remainder', ...remainder }
  switch (target?.kind) {
    case 'externalIds':
      return named(target.kind, target.externalIds.length, target.externalIds)
    case 'userIds':
      return named(target.kind, target.userIds.length, target.userIds)
    case 'subscriptionIds':
      return named(target.kind, target.subscriptionIds.length, target.subscriptionIds)
    case 'segment':
      return { kind: 'segment', segmentId, segment: target.segment }
    case 'reached':
      return target
    case 'all':
      return { kind: 'everyone' }
    default:
      return { kind: 'segment', segmentId, segment: null }
  }
}

const toIso = (at: Date | null): string | null => at && at.toISOString()
