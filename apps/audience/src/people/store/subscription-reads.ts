import type { MaskedDevice } from '@herald/contracts/person'
import type { Subscription } from '@herald/contracts/user'
import { sql, type RawBuilder, type Selectable } from 'kysely'
import { maskAddress, maskToken } from '../core/device.ts'
import { tokensOfDevice } from '../../store/activities.ts'
import type { Db, SubscriptionTable } from '../../store/tables.ts'

/** Finds a user's devices in the form in which the API answers them (spec: identity/read-user), oldest first. There are at most 100. */
export async function findSubscriptionsOf(db: Db, userId: string): Promise<Subscription[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .leftJoin('last_notified', 'last_notified.subscription_id', 'subscriptions.id')
    .selectAll('subscriptions')
    .select('last_notified.at as last_notified_at')
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()
  return rows.map(toSubscription)
}

/** A device in the form in which the API answers it (`device`), with its owner, its whole address, and whether it is a test device. */
export type FoundDevice = {
  userId: string
  address: string
  test: boolean
  device: Subscription & Pick<MaskedDevice, 'activityTokens'>
}

/** Finds the devices of many users, in the order of the users' ids, and for each user the oldest device first. */
export const findDevicesOf = (db: Db, userIds: string[]): Promise<FoundDevice[]> =>
  findDevicesFrom(
    db,
    sql`unnest(${userIds}::text[]) as asked(id) cross join lateral (select * from subscriptions where user_id = asked.id offset 0) s`,
  )

export const findDevice = async (db: Db, appId: string, id: string): Promise<FoundDevice | undefined> =>
  (await findDevicesFrom(db, sql`(select * from subscriptions where id = ${id} and app_id || '' = ${appId} offset 0) s`))[0]

/** Finds devices, with the time of their last push and whether they are test devices. `devices`: the SQL after `from`, which names the device `s`. */
async function findDevicesFrom(db: Db, devices: RawBuilder<unknown>): Promise<FoundDevice[]> {
  const { rows } = await sql<Row & { test: boolean; activity_tokens: NonNullable<MaskedDevice['activityTokens']> | null }>`
    select s.*, n.at as last_notified_at, ${tokensOfDevice} as activity_tokens, exists (select from test_devices t where t.subscription_id = s.id) as test from ${devices}
      left join lateral (select at from last_notified where subscription_id = s.id offset 0) n on true
    order by s.user_id, s.id`.execute(db)
  return rows.map((row) => ({
    userId: row.user_id,
    address: row.address,
    test: row.test,
    device: { ...toSubscription(row), ...maskedTokens(row) },
  }))
}

const maskedTokens = ({ activity_tokens: tokens }: { activity_tokens: NonNullable<MaskedDevice['activityTokens']> | null }) =>
  tokens ? { activityTokens: tokens.map((one) => ({ ...one, token: maskAddress(one.token) })) } : {}

type Row = Selectable<SubscriptionTable> & { last_notified_at: Date | null }

const toSubscription = (row: Row): Subscription => ({
  id: row.id,
  platform: row.platform,
  ...addressOf(row),
  optedIn: row.opted_in,
  appVersion: row.app_version,
  sdkVersion: row.sdk_version,
  osVersion: row.os_version,
  deviceModel: row.device_model,
  browser: row.browser,
  standalone: row.standalone,
  sessionCount: row.session_count,
  lastSessionAt: row.last_session_at?.toISOString() ?? null,
  createdAt: row.created_at.toISOString(),
  lastActiveAt: row.last_active_at.toISOString(),
  lastNotifiedAt: row.last_notified_at?.toISOString() ?? null,
  invalidatedAt: row.invalidated_at?.toISOString() ?? null,
})

const addressOf = ({
  platform,
  address,
  p256dh,
  auth,
}: Selectable<SubscriptionTable>): Pick<Subscription, 'token' | 'endpoint' | 'keys'> => {
  if (platform !== 'web') return { token: maskToken(address) }
  return { endpoint: address, ...(p256dh === null || auth === null ? {} : { keys: { p256dh, auth } }) }
}
