import type { Subscription } from '@herald/contracts/user'
import type { Selectable } from 'kysely'
import { maskToken } from '../core/mask.ts'
import type { Db, SubscriptionTable } from './tables.ts'

/** A user's devices as user reads answer them (spec: identity/read-user), oldest first. At most 100. */
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

const toSubscription = (row: Selectable<SubscriptionTable> & { last_notified_at: Date | null }): Subscription => ({
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
