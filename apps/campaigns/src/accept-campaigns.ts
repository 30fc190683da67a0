import { fault, notFound, type Fault } from '@herald/contracts/fault'
import type { NotQueued } from '@herald/contracts/test-send'
import { transact } from '@herald/service/postgres'
import { type NewCampaign } from './store/campaigns.ts'
import { insertCampaigns, markTests } from './store/new-campaigns.ts'
import { findRecords, insertRecords, keyName, takeKeys, type IdempotencyRecord, type Key } from './store/idempotency-keys.ts'
import type { Db } from './store/tables.ts'

export type Idempotency = { key: string; fingerprint: string }
/** `notQueued`: what a test is to be answered beside its id, and is again to a replay. */
export type Acceptable = { campaign: NewCampaign; idempotency: Idempotency | null; notQueued?: NotQueued[] }
export type Accepted =
  | { kind: 'accepted' | 'replayed'; id: string; notQueued?: NotQueued[] | undefined }
  | { kind: 'refused'; fault: Fault }

/**
 * Accepts notifications and drafts, several in one transaction: campaign and idempotency record commit together. A key that
 * another process holds is in progress; one that has a record answers that. A key that comes twice in one group is a replay of
 * the first. Of an app that is erased nothing is written: not found. After the commit audience hears of every campaign under way, up to 64 of
 * an app; those beyond wait for the sweep, which takes them by turns of apps and is told of them. It also repairs a pointer that is lost.
 */
export async function acceptCampaigns(
  {
    db,
    idempotencyHours,
    start,
    haveWaiting,
  }: { db: Db; idempotencyHours: number; start: (campaign: NewCampaign) => void; haveWaiting: () => void },
  items: Acceptable[],
): Promise<Accepted[]> {
  const keys = distinctKeys(items)
  const hasTests = items.some(({ campaign }) => campaign.test)
  const accept = async (trx: Db) => {
    const held = keys.length > 0 ? await takeKeys(trx, keys) : new Set<string>()
    const records = held.size > 0 ? await findRecords(trx, keys, idempotencyHours) : new Map<string, IdempotencyRecord>()
    const remembered: (Key & IdempotencyRecord)[] = []
    const made: NewCampaign[] = []
    const answers = items.map(({ campaign, idempotency, notQueued }): Accepted => {
      const { id, appId, status } = campaign
      if (idempotency) {
        const name = keyName({ appId, key: idempotency.key })
        if (!held.has(name)) return { kind: 'refused', fault: inProgress() }
        const record = records.get(name)
        if (record) return answerOfRecord(record, idempotency.fingerprint)
        const fresh: IdempotencyRecord = { fingerprint: idempotency.fingerprint, answer: { id, status, ...(notQueued && { notQueued }) } }
        records.set(name, fresh)
        remembered.push({ appId, key: idempotency.key, ...fresh })
      }
      made.push(campaign)
      return { kind: 'accepted', id, notQueued }
    })
    const written = await insertCampaigns(trx, made)
    if (hasTests) await markTests(trx, made)
    const leftOut = new Set(made.flatMap(({ id }) => (written.has(id) ? [] : [id])))
    await insertRecords(
      trx,
      remembered.filter(({ answer }) => written.has(answer.id)),
    )
    return {
      answers: answers.map((answer) => (answer.kind !== 'refused' && leftOut.has(answer.id) ? noSuchApp() : answer)),
      begins: made.filter(({ id, status }) => status === 'sending' && written.get(id)?.waiting === false),
      someWait: [...written.values()].some(({ waiting }) => waiting),
    }
  }
  // Without keys and tests it is one statement, which is a transaction by itself.
  const { answers, begins, someWait } = await (keys.length > 0 || hasTests ? transact(db, accept) : accept(db))
  for (const campaign of begins) start(campaign)
  if (someWait) haveWaiting()
  return answers
}

/** A key is bound to what was first asked with it (spec: limits/idempotency-reused). */
function answerOfRecord(record: IdempotencyRecord, fingerprint: string): Accepted {
  if (record.fingerprint === fingerprint) return { kind: 'replayed', id: record.answer.id, notQueued: record.answer.notQueued }
  return { kind: 'refused', fault: fault('idempotency_key_reused', 'This Idempotency-Key was used with another request. Use a new one.') }
}

/** What an earlier request with this key was answered, or undefined: nothing is remembered. */
export async function findReplay(
  { db, idempotencyHours }: { db: Db; idempotencyHours: number },
  appId: string,
  idempotency: Idempotency | null,
): Promise<Accepted | undefined> {
  if (!idempotency) return undefined
  const key = { appId, key: idempotency.key }
  const record = (await findRecords(db, [key], idempotencyHours)).get(keyName(key))
  return record && answerOfRecord(record, idempotency.fingerprint)
}

/** The id that was accepted or answered before, or the Fault. */
export function acceptedId(accepted: Accepted): { id: string; replayed: boolean } {
  if (accepted.kind === 'refused') throw accepted.fault
  return { id: accepted.id, replayed: accepted.kind === 'replayed' }
}

const noSuchApp = (): Accepted => ({ kind: 'refused', fault: notFound() })

const inProgress = () =>
  fault('idempotency_in_progress', 'A request with this Idempotency-Key is still being processed. Try again shortly.')

const distinctKeys = (items: Acceptable[]): Key[] => [
  ...new Map(
    items.flatMap(({ campaign: { appId }, idempotency }) => {
      const key = idempotency && { appId, key: idempotency.key }
      return key ? [[keyName(key), key] as const] : []
    }),
  ).values(),
]
