import { fault, notFound } from '@herald/contracts/fault'
import { transact } from '@herald/service/postgres'
import type { Campaigns, Acceptable, Accepted, Idempotency } from './campaigns.ts'
import type { NewCampaign } from './store/campaigns.ts'
import { findRecords, insertRecords, keyName, takeKeys, type IdempotencyRecord, type Key } from './store/idempotency-keys.ts'
import { stampActivities } from './store/activities.ts'
import { insertCampaigns, markTests, writeRates } from './store/new-campaigns.ts'
import { mostDrafts, roomForDrafts } from './store/limits.ts'
import type { Db } from './store/tables.ts'

/**
 * Accepts notifications and drafts with their idempotency records in one transaction; for an erased app not_found. Then tells audience of sends while
 * fewer than 64 of the app are unstarted; the sweep takes the others, by turns of apps.
 */
export async function acceptCampaigns(
  { db, idempotencyHours, start, haveWaiting }: Pick<Campaigns, 'db' | 'idempotencyHours' | 'start' | 'haveWaiting'>,
  items: Acceptable[],
): Promise<Accepted[]> {
  const keys = distinctKeys(items)
  const hasTests = items.some(({ campaign }) => campaign.test)
  const hasRates = items.some(({ campaign }) => campaign.send.perMinute !== null)
  const hasActivities = items.some(({ campaign }) => campaign.send.activity)
  const hasDrafts = items.some(({ campaign }) => campaign.status === 'draft')
  const accept = async (trx: Db) => {
    const held = keys.length > 0 ? await takeKeys(trx, keys) : new Set<string>()
    const records = held.size > 0 ? await findRecords(trx, keys, idempotencyHours) : new Map<string, IdempotencyRecord>()
    const remembered: (Key & IdempotencyRecord)[] = []
    const made: NewCampaign[] = []
    const answers = items.map(({ campaign, idempotency, notQueued }): Accepted => {
      const { id, appId, status } = campaign
      if (idempotency) {
        const name = keyName({ appId, key: idempotency.key })
        // Another transaction has locked the key.
        if (!held.has(name)) return { kind: 'refused', fault: inProgress() }
        const record = records.get(name)
        if (record) return answerOfRecord(record, idempotency.fingerprint)
        const fresh: IdempotencyRecord = { fingerprint: idempotency.fingerprint, answer: { id, status, ...(notQueued && { notQueued }) } }
        // A second item with the same key is answered as if the first had a record already.
        records.set(name, fresh)
        remembered.push({ appId, key: idempotency.key, ...fresh })
      }
      made.push(campaign)
      return { kind: 'accepted', id, notQueued }
    })
    const tooMany = await findTooMany(
      trx,
      made.filter(({ status }) => status === 'draft'),
    )
    const kept = made.filter(({ id }) => !tooMany.has(id))
    if (hasActivities) await stampActivities(trx, kept)
    const written = await insertCampaigns(trx, kept)
    if (hasTests) await markTests(trx, kept)
    if (hasRates) await writeRates(trx, kept)
    const leftOut = new Set(kept.flatMap(({ id }) => (written.has(id) ? [] : [id])))
    await insertRecords(
      trx,
      remembered.filter(({ answer }) => written.has(answer.id)),
    )
    return {
      answers: answers.map((answer): Accepted => {
        if (answer.kind === 'refused') return answer
        if (tooMany.has(answer.id)) return { kind: 'refused', fault: tooManyDrafts() }
        return leftOut.has(answer.id) ? noSuchApp() : answer
      }),
      begins: kept.filter(({ id, status }) => status === 'sending' && written.get(id)?.waiting === false),
      someWait: [...written.values()].some(({ waiting }) => waiting),
    }
  }
  // Without keys, tests, rates, activities and drafts everything is written by one statement, which is a transaction by itself.
  const { answers, begins, someWait } = await (keys.length > 0 || hasTests || hasRates || hasActivities || hasDrafts
    ? transact(db, accept)
    : accept(db))
  for (const campaign of begins) start(campaign)
  if (someWait) haveWaiting()
  return answers
}

/** Gives the ids of the drafts for which their apps have no room. Apps are locked in the order of their ids, so that two transactions cannot deadlock. */
async function findTooMany(trx: Db, drafts: NewCampaign[]): Promise<ReadonlySet<string>> {
  const ofApps = Map.groupBy(drafts, ({ appId }) => appId)
  const tooMany = new Set<string>()
  for (const appId of [...ofApps.keys()].toSorted()) {
    const room = await roomForDrafts(trx, appId)
    for (const { id } of (ofApps.get(appId) ?? []).slice(Math.max(0, room))) tooMany.add(id)
  }
  return tooMany
}

export const tooManyDrafts = () => fault('limit_reached', `An app has at most ${mostDrafts} drafts. Delete one that is not used any more.`)

/** Answers a request whose key has a record. A key belongs to the first request that was made with it (spec: limits/idempotency-reused). */
function answerOfRecord(record: IdempotencyRecord, fingerprint: string): Accepted {
  if (record.fingerprint === fingerprint) return { kind: 'replayed', id: record.answer.id, notQueued: record.answer.notQueued }
  return { kind: 'refused', fault: keyReused() }
}

export const keyReused = () => fault('idempotency_key_reused', 'This Idempotency-Key was used with another request. Use a new one.')

/** Gives the answer to a request whose key has a record; undefined when it has no key, or the key has no record. */
export async function findReplay(
  { db, idempotencyHours }: Pick<Campaigns, 'db' | 'idempotencyHours'>,
  appId: string,
  idempotency: Idempotency | null,
): Promise<Accepted | undefined> {
  if (!idempotency) return undefined
  const key = { appId, key: idempotency.key }
  const record = (await findRecords(db, [key], idempotencyHours)).get(keyName(key))
  return record && answerOfRecord(record, idempotency.fingerprint)
}

/** Gives the id of the accepted campaign, from this request or from the earlier request that it repeats. Throws the Fault of a refusal. */
export function acceptedId(accepted: Accepted): { id: string; replayed: boolean } {
  if (accepted.kind === 'refused') throw accepted.fault
  return { id: accepted.id, replayed: accepted.kind === 'replayed' }
}

const noSuchApp = (): Accepted => ({ kind: 'refused', fault: notFound() })

export const inProgress = () =>
  fault('idempotency_in_progress', 'A request with this Idempotency-Key is still being processed. Try again shortly.')

const distinctKeys = (items: Acceptable[]): Key[] => [
  ...new Map(
    items.flatMap(({ campaign: { appId }, idempotency }) => {
      const key = idempotency && { appId, key: idempotency.key }
      return key ? [[keyName(key), key] as const] : []
    }),
  ).values(),
]
