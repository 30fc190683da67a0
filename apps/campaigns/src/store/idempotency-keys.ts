import { sql } from 'kysely'
import type { Db, KeptAnswer } from './tables.ts'

export type Key = { appId: string; key: string }
export type IdempotencyRecord = { fingerprint: string; answer: KeptAnswer }

/** Gives one name for an app and a key. App ids have a fixed length, so two keys never get the same name. */
export const keyName = ({ appId, key }: Key): string => `${appId} ${key}`

/**
 * Locks keys until the transaction ends, and gives the names of those that it could lock. It waits for none: a request with another's key is answered
 * "in progress" at once, and there is no deadlock.
 */
export async function takeKeys(db: Db, keys: Key[]): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${keys.map(keyName)}::text[]) as name
    where pg_try_advisory_xact_lock(hashtextextended('campaigns.idempotency ' || name, 0))`.execute(db)
  return new Set(rows.map(({ name }) => name))
}

/** Finds the records of these keys, by name. A record that is past its retention counts as absent even while its row still exists. */
export async function findRecords(db: Db, keys: Key[], retentionHours: number): Promise<Map<string, IdempotencyRecord>> {
  const { rows } = await sql<{ app_id: string; key: string } & IdempotencyRecord>`
    select record.*
    from unnest(${keys.map(({ appId }) => appId)}::text[], ${keys.map(({ key }) => key)}::text[]) as wanted(app_id, key)
      cross join lateral (
        select r.app_id, r.key, fingerprint, answer, created_at from idempotency_keys r
        where r.app_id = wanted.app_id and r.key = wanted.key offset 0
      ) as record
    where record.created_at > now() - ${retentionHours}::int * interval '1 hour'`.execute(db)
  return new Map(rows.map(({ app_id, key, fingerprint, answer }) => [keyName({ appId: app_id, key }), { fingerprint, answer }]))
}

/** Writes records. The caller has locked the keys and found no valid record. A row that still exists is past its retention and is replaced. */
export async function insertRecords(db: Db, records: (Key & IdempotencyRecord)[]): Promise<void> {
  if (records.length === 0) return
  await db
    .insertInto('idempotency_keys')
    .values(
      records
        .toSorted((one, other) => (keyName(one) < keyName(other) ? -1 : 1))
        .map(({ appId, key, fingerprint, answer }) => ({
          app_id: appId,
          key,
          fingerprint,
          campaign_id: answer.id,
          answer: JSON.stringify(answer),
        })),
    )
    .onConflict((conflict) =>
      conflict.columns(['app_id', 'key']).doUpdateSet((record) => ({
        fingerprint: record.ref('excluded.fingerprint'),
        campaign_id: record.ref('excluded.campaign_id'),
        answer: record.ref('excluded.answer'),
        created_at: sql<Date>`now()`,
      })),
    )
    .execute()
}

/** Deletes records past their retention, at most 1,000 at once, and gives how many it deleted. */
export async function deleteOldRecords(db: Db, retentionHours: number): Promise<number> {
  const { rows } = await sql`
    with old as (
      select app_id, key from idempotency_keys where created_at <= now() - ${retentionHours}::int * interval '1 hour'
      order by created_at limit 1000 for update skip locked
    )
    delete from idempotency_keys using old
    where idempotency_keys.app_id = old.app_id and idempotency_keys.key = old.key
    returning idempotency_keys.campaign_id`.execute(db)
  return rows.length
}
