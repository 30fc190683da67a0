import { readStats } from '@herald/contracts/calls/tracker'
import type { Content } from '@herald/contracts/content'
import { notFound, unknownId } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { Recall, RecallMode } from '@herald/contracts/recall'
import { maxTtlSeconds } from '@herald/contracts/send-fields'
import { noStats } from '@herald/contracts/stats'
import { transact } from '@herald/service/postgres'
import { inProgress, keyReused } from './accept-campaigns.ts'
import type { Campaigns, Idempotency } from './campaigns.ts'
import { endWithin } from './change-flow.ts'
import { followUpOf, whyNoRecall } from './core/recall.ts'
import { refuseTooLarge } from './resolve-fields.ts'
import { findWhole, type CampaignRow, type Started } from './store/campaigns.ts'
import { findRecords, insertRecords, keyName, takeKeys, type IdempotencyRecord } from './store/idempotency-keys.ts'
import { findRecallable, insertFollowUp, isBeingRecalled } from './store/recalls.ts'
import type { Db } from './store/tables.ts'
import { findTemplateDefaults } from './store/templates.ts'

type Recalling = Pick<Campaigns, 'db' | 'bus' | 'tell' | 'beginRecalls' | 'idempotencyHours' | 'defaultTtlSeconds' | 'ledgerDays'>
type One = { appId: string; campaignId: string }
type Answer = { id: string; status: 'scheduled' | 'cancelled' | 'sending' | 'paused' }
/** What the transaction has done. `asked`: the campaign under way whose cancel it has asked for. */
type Done = { answer: Answer; replayed: boolean; asked?: Started | undefined }

const suffix = ' – recall'
const nameLength = 200

/**
 * Cancels what is unsent of a campaign. With another mode than `stop`, the same transaction writes the follow-up, which begins once all is settled
 * (spec: recall/once). Faults: not_found, invalid_state, invalid_body, idempotency_in_progress, idempotency_key_reused.
 */
export async function recallCampaign(
  recalling: Recalling,
  { appId, campaignId, idempotency, recall }: One & { idempotency: Idempotency | null; recall: Recall },
): Promise<Answer & { replayed: boolean }> {
  const { db, idempotencyHours } = recalling
  const one = { appId, campaignId }
  const replay = idempotency && (await recordOf(db, appId, idempotency, idempotencyHours))
  if (replay) return { ...replay, replayed: true }

  const { mode } = recall
  const write = mode === 'stop' ? (trx: Db) => stop(trx, one) : await prepare(recalling, one, recall, mode)
  const { answer, replayed, asked } = await transact(db, async (trx): Promise<Done> => {
    if (!idempotency) return write(trx)
    const key = { appId, key: idempotency.key }
    if ((await takeKeys(trx, [key])).size === 0) throw inProgress()
    const earlier = await recordOf(trx, appId, idempotency, idempotencyHours)
    if (earlier) return { answer: earlier, replayed: true }
    const done = await write(trx)
    await insertRecords(trx, [{ ...key, fingerprint: idempotency.fingerprint, answer: done.answer }])
    return done
  })
  if (asked) recalling.tell(asked)
  recalling.beginRecalls()
  return { ...answer, replayed }
}

async function recordOf(db: Db, appId: string, { key, fingerprint }: Idempotency, hours: number): Promise<Answer | undefined> {
  const record: IdempotencyRecord | undefined = (await findRecords(db, [{ appId, key }], hours)).get(keyName({ appId, key }))
  if (!record) return undefined
  if (record.fingerprint !== fingerprint) throw keyReused()
  return record.answer as Answer
}

async function stop(trx: Db, one: One): Promise<Done> {
  const { status, asked } = await endWithin(trx, one)
  return { answer: { id: one.campaignId, status }, replayed: false, asked }
}

/** Checks a recall with a follow-up, and gives what writes it in a transaction. */
async function prepare(
  { db, bus, defaultTtlSeconds, ledgerDays }: Recalling,
  one: One,
  recall: Recall,
  mode: RecallMode,
): Promise<(trx: Db) => Promise<Done>> {
  const first = await findWhole(db, one.appId, one.campaignId)
  if (!first) throw notFound()
  const content = mode === 'replace' ? await contentOf(db, one.appId, recall) : null
  const stats = first.settledAt ? ((await bus.call(readStats, one))?.stats ?? noStats) : undefined
  const check = async (within: Db, lock: boolean) => {
    const found = await findRecallable(within, one, { ledgerDays, lock })
    if (!found) throw notFound()
    const refusal = whyNoRecall({ ...found, isRecalled: await isBeingRecalled(within, one.campaignId) }, stats)
    if (refusal) throw refusal
    return found
  }
  // Checked before the content, which a campaign that cannot be recalled need not have.
  await check(db, false)
  const send = followUpOf(first, mode, content, Math.min(defaultTtlSeconds, maxTtlSeconds))
  refuseTooLarge(send)
  return async (trx) => {
    const { settledAt } = await check(trx, true)
    const asked = settledAt ? undefined : (await endWithin(trx, one)).asked
    const id = newId()
    const made = await insertFollowUp(trx, { id, ...one, ...followUp(first, recall, mode), draft: { ...draftOf(first, recall), send } })
    if (!made) throw notFound()
    return { answer: { id, status: 'scheduled' }, replayed: false, asked }
  }
}

async function contentOf(db: Db, appId: string, { content, templateId }: Recall): Promise<Content | null> {
  if (content !== undefined || templateId === undefined) return content ?? null
  const template = await findTemplateDefaults(db, appId, templateId)
  if (!template) throw unknownId('templateId')
  return template.content
}

const followUp = ({ id, transactional, test, experiment }: CampaignRow, { skipOpened = true }: Recall, mode: RecallMode) => ({
  of: id,
  mode,
  skipOpened,
  transactional,
  test: test === true,
  variants: experiment && experiment.variants.map(({ id: variant, weight }) => ({ id: variant, weight })),
})

const draftOf = ({ id, name }: CampaignRow, { skipOpened = true, templateId }: Recall) => ({
  name: name.slice(0, nameLength - suffix.length) + suffix,
  target: { kind: 'reached' as const, of: id, skipOpened },
  templateId: templateId ?? null,
  segmentId: null,
  schedule: { type: 'now' as const },
  experiment: null,
})
