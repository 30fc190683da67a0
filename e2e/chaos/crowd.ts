import { createHash } from 'node:crypto'
import { newId } from '@herald/contracts/ids'
import type { Device, Tenant } from '@herald/testing/tenant'
import { onDatabase, type Platform } from './platform.ts'

const everyPlatform = ['ios', 'android', 'web'] as const

/** A device at the simulator, with the id that Herald gave it. */
export type Registered = Device & { subscriptionId: string }

/** Makes devices of the three platforms in equal parts, and registers them through the API. `baseUrl`: where the simulator reaches Herald. */
export async function givenCrowd({ herald, tenant }: Platform, count: number, baseUrl = herald.baseUrl): Promise<Registered[]> {
  const devices = await makeDevices(tenant, count, everyPlatform)
  const registered: Registered[] = []
  for (let from = 0; from < devices.length; from += 1_000) {
    const some = devices.slice(from, from + 1_000)
    const { failed, subscriptions } = await tenant.simulator<{
      failed: number
      subscriptions: { id: string; subscriptionId: string }[]
    }>('POST', '/crowd', { baseUrl, appKey: tenant.publicKey, devices: some.map(({ id }) => id), concurrency: 32 })
    if (failed > 0) throw new Error(`${failed} devices did not register`)
    const idOf = new Map(subscriptions.map(({ id, subscriptionId }) => [id, subscriptionId]))
    registered.push(...some.map((device) => ({ ...device, subscriptionId: idOf.get(device.id) ?? '' })))
  }
  return registered
}

/**
 * Makes devices of `platforms` in equal parts by SQL in audience's tables (50,000 in seconds), for users `user-<n>` from `firstUser` on. The
 * simulator knows their addresses, so pushes reach them.
 */
export async function givenManyDevices(
  { herald, tenant }: Platform,
  count: number,
  platforms: readonly Device['platform'][] = everyPlatform,
  options: Record<string, unknown> = {},
  firstUser = 0,
): Promise<Registered[]> {
  const devices = await makeDevices(tenant, count, platforms, options)
  const madeAt = new Date(Date.now() - 60_000)
  const registered = devices.map((device) => ({ ...device, subscriptionId: newId(madeAt) }))
  await onDatabase(herald, async (client) => {
    await client.query('set search_path to audience')
    for (let from = 0; from < registered.length; from += 5_000) {
      const some = registered.slice(from, from + 5_000)
      const userIds = some.map(() => newId(madeAt))
      await client.query('begin')
      await client.query(
        `insert into users (id, app_id, external_id, created_at) select *, $4 from unnest($1::text[], $2::text[], $3::text[])`,
        [userIds, some.map(() => tenant.appId), some.map((_device, place) => `user-${firstUser + from + place}`), madeAt],
      )
      await client.query(
        `insert into subscriptions (id, app_id, user_id, platform, address, address_hash, p256dh, auth, created_at, registered_at)
          select *, $9, $9 from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::text[], $8::text[])`,
        [
          some.map(({ subscriptionId }) => subscriptionId),
          some.map(() => tenant.appId),
          userIds,
          some.map(({ platform }) => platform),
          some.map(addressOf),
          some.map((device) =>
            createHash('sha256')
              .update(`${tenant.appId} ${device.endpoint ? 'endpoint' : 'token'}:${addressOf(device)}`)
              .digest(),
          ),
          some.map(({ keys }) => keys?.p256dh),
          some.map(({ keys }) => keys?.auth),
          madeAt,
        ],
      )
      await client.query('commit')
    }
    await client.query('vacuum (analyze) users')
    await client.query('vacuum (analyze) subscriptions')
  })
  return registered
}

const addressOf = ({ token, endpoint }: Device): string => endpoint ?? token ?? ''

async function makeDevices(
  tenant: Tenant,
  count: number,
  platforms: readonly Device['platform'][],
  options: Record<string, unknown> = {},
): Promise<Device[]> {
  const devices: Device[] = []
  for (const [place, platform] of platforms.entries()) {
    const share = Math.floor(count / platforms.length) + (place < count % platforms.length ? 1 : 0)
    if (share === 0) continue
    const made = await tenant.makeDevices(platform, share, { ...(platform === 'web' && { keyPool: 16 }), ...options })
    for (const device of made) devices.push(device)
  }
  return devices
}
