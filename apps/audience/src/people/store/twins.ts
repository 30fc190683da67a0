import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { hashAddress } from '../core/device.ts'
import { leaveUsers } from './abandoned-users.ts'
import { deleteSubscriptions } from './subscriptions.ts'
import type { Db } from '../../store/tables.ts'
import { lockUsers } from './users.ts'

/*
 * Twins are devices whose iOS tokens differ in letter case alone, so that they are one phone (spec: identity/token-case). They are older than the rule
 * that such tokens are stored in small letters (migrations/0200).
 */

/** A token in small letters with its app. */
export type SmallToken = { appId: string; token: string }
type Twin = SmallToken & { id: string; userId: string }

/** The condition of the index `subscriptions_by_small_token`, in the same words: the token is stored with capitals. */
const hasCapitals = sql<boolean>`platform = 'ios' and address ~ '^[0-9A-Fa-f]+$' and address ~ '[A-F]'`
const smallKeyColumn = sql`md5(app_id || ' ' || lower(address))`
export const smallKeyOf = ({ appId, token }: SmallToken): string => hash('md5', `${appId} ${token}`)

/** Gives the SQL that is true if a device has the token of this key (`smallKeyOf`) with capitals. It is null if the key is null. */
export const isStoredInCapitals = (smallKey: ReturnType<typeof sql.ref>) =>
  sql<boolean>`exists (select from subscriptions where ${smallKeyColumn} = ${smallKey} and ${hasCapitals})`

/** Finds the devices that have one of these tokens with capitals. `token`: the token in small letters. */
export async function findInCapitals(db: Db, tokens: SmallToken[]): Promise<Twin[]> {
  if (tokens.length === 0) return []
  const { rows } = await sql<Twin>`
    select id, user_id as "userId", app_id as "appId", lower(address) as token from subscriptions
    where ${smallKeyColumn} = any(${tokens.map(smallKeyOf)}::text[]) and ${hasCapitals}
    order by registered_at`.execute(db)
  return rows
}

/**
 * Merges all twins with these tokens: the one that registered last stays and gets the token in small letters, the others are deleted. Answers which
 * device replaces each deleted one. Call it before locking devices or users.
 */
export async function mergeTwins(trx: Db, tokens: SmallToken[]): Promise<Map<string, string>> {
  const found = await findInCapitals(trx, tokens)
  if (found.length === 0) return new Map()
  const hashes = found.map(({ appId, token }) => hashAddress(appId, 'token', token))
  const { rows: twins } = await sql<Twin & { registeredAt: Date }>`
    select id, user_id as "userId", app_id as "appId", lower(address) as token, registered_at as "registeredAt" from subscriptions
    where id = any(${found.map(({ id }) => id)}::text[]) or address_hash = any(${hashes}::bytea[])
    order by id for update`.execute(trx)
  const oldestFirst = twins.toSorted((one, other) => one.registeredAt.getTime() - other.registeredAt.getTime())
  const stays = new Map(oldestFirst.map((twin) => [smallKeyOf(twin), twin]))
  const gone = twins.filter((twin) => stays.get(smallKeyOf(twin)) !== twin)

  if (gone.length > 0) {
    await lockUsers(trx, { ids: gone.map(({ userId }) => userId) })
    await deleteSubscriptions(
      trx,
      gone.map(({ id }) => id),
    )
    await leaveUsers(
      trx,
      gone.map(({ id, userId }) => ({ userId, subscriptionId: id })),
    )
  }
  for (const { id, appId, token } of stays.values())
    await trx
      .updateTable('subscriptions')
      .set({ address: token, address_hash: hashAddress(appId, 'token', token) })
      .where('id', '=', id)
      .execute()
  return new Map(gone.map((twin) => [twin.id, stays.get(smallKeyOf(twin))?.id ?? twin.id]))
}
