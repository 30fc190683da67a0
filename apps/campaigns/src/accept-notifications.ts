import { fault, type Fault } from '@herald/contracts/fault'
import { transact } from '@herald/service/postgres'
import { insertNotifications, type NewNotification } from './store/campaigns.ts'
import { findRecords, insertRecords, keyName, takeKeys, type IdempotencyRecord, type Key } from './store/idempotency-keys.ts'
import type { Db } from './store/tables.ts'

export type Acceptable = { notification: NewNotification; idempotency: { key: string; fingerprint: string } | null }
export type Accepted = { kind: 'accepted' | 'replayed'; id: string } | { kind: 'refused'; fault: Fault }

/**
 * Accepts notifications, several in one transaction: campaign and idempotency record commit together. A key that another
 * process holds is in progress; one that has a record answers that. A key that comes twice in one group is a replay of the
 * first. After the commit every new campaign is pointed at; a pointer that is lost is repaired by the sweep.
 */
export async function acceptNotifications(
  { db, idempotencyHours, pointAt }: { db: Db; idempotencyHours: number; pointAt: (campaignId: string) => void },
  items: Acceptable[],
): Promise<Accepted[]> {
  const keys = distinctKeys(items)
  const answers = await transact(db, async (trx) => {
    const held = keys.length > 0 ? await takeKeys(trx, keys) : new Set<string>()
    const records = held.size > 0 ? await findRecords(trx, keys, idempotencyHours) : new Map<string, IdempotencyRecord>()
    const made: NewNotification[] = []
    const remembered: (Key & IdempotencyRecord)[] = []
    const answers = items.map(({ notification, idempotency }): Accepted => {
      const { id, appId } = notification
      if (idempotency) {
        const name = keyName({ appId, key: idempotency.key })
        if (!held.has(name)) return { kind: 'refused', fault: inProgress() }
        const record = records.get(name)
        if (record) return answerOfRecord(record, idempotency.fingerprint)
        const fresh: IdempotencyRecord = { fingerprint: idempotency.fingerprint, answer: { id, status: 'sending' } }
        records.set(name, fresh)
        remembered.push({ appId, key: idempotency.key, ...fresh })
      }
      made.push(notification)
      return { kind: 'accepted', id }
    })
    await insertNotifications(trx, made)
    await insertRecords(trx, remembered)
    return answers
  })
  for (const answer of answers) if (answer.kind === 'accepted') pointAt(answer.id)
  return answers
}

/** A key is bound to what was first asked with it (decisions.md 9). */
export function answerOfRecord(record: IdempotencyRecord, fingerprint: string): Accepted {
  if (record.fingerprint === fingerprint) return { kind: 'replayed', id: record.answer.id }
  return { kind: 'refused', fault: fault('idempotency_key_reused', 'This Idempotency-Key was used with another request. Use a new one.') }
}

const inProgress = () =>
  fault('idempotency_in_progress', 'A request with this Idempotency-Key is still being processed. Try again shortly.')

const distinctKeys = (items: Acceptable[]): Key[] => [
  ...new Map(
    items.flatMap(({ notification: { appId }, idempotency }) => {
      const key = idempotency && { appId, key: idempotency.key }
      return key ? [[keyName(key), key] as const] : []
    }),
  ).values(),
]
