import type { Herald } from '@herald/testing/herald'
import { insertTokens } from '@herald/testing/many-devices'
import type { Device, Tenant } from '@herald/testing/tenant'
import pg from 'pg'
import type { PostResult } from './poster.ts'
import type { Poster } from './start-poster.ts'

export type Mix = 'mixed' | 'ios' | 'android' | 'web'

export const platformsOf = (mix: Mix): Device['platform'][] => (mix === 'mixed' ? ['ios', 'android', 'web'] : [mix])

/** Gives how many devices each platform of a mix has: the same number, as far as whole numbers allow. */
export const sharesOf = (mix: Mix, count: number): { platform: Device['platform']; share: number }[] =>
  platformsOf(mix).map((platform, index, all) => ({
    platform,
    share: Math.floor(count / all.length) + (index < count % all.length ? 1 : 0),
  }))

/** Makes devices at the simulator and does not register them. Web devices share 64 pairs of keys, because making a pair takes longer than a push. */
export async function makeDevices(tenant: Tenant, mix: Mix, count: number): Promise<Device[]> {
  const devices: Device[] = []
  for (const { platform, share } of sharesOf(mix, count)) {
    for (let made = 0; made < share; made += 20_000)
      devices.push(...(await tenant.makeDevices(platform, Math.min(20_000, share - made), platform === 'web' ? { keyPool: 64 } : {})))
  }
  return devices
}

export const externalIdOf = ({ id }: Device): string => `bench-${id}`

/** Registers each device over HTTP for a user of its own, 32 at once, over connections that stay open. */
export function registerDevices(herald: Herald, tenant: Tenant, poster: Poster, devices: Device[]): Promise<PostResult> {
  const values = devices.map((device) => {
    const { platform, token, endpoint, keys } = device
    return JSON.stringify({ platform, token, endpoint, keys, externalId: externalIdOf(device) })
  })
  return poster.post({
    baseUrl: herald.baseUrl,
    path: '/v1/subscriptions',
    headers: { 'x-app-key': tenant.publicKey },
    body: { before: '', after: '' },
    values,
    from: 0,
    count: values.length,
    status: 200,
    connections: 32,
    withinSeconds: 3_600,
  })
}

/**
 * Makes devices at the simulator and registers them by SQL in audience's database, because HTTP would take half an hour for a million. Gives the
 * seconds that this took.
 */
export async function fillDevices(
  databaseUrl: string,
  tenant: Tenant,
  { platform, count }: { platform: 'ios' | 'android'; count: number },
): Promise<number> {
  const startedAt = performance.now()
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const atOnce = 20_000
    for (let made = 0; made < count; made += atOnce) {
      const tokens = (await tenant.makeDevices(platform, Math.min(atOnce, count - made))).map(({ token = '' }) => token)
      await client.query(insertTokens(platform), [tenant.appId, tokens])
    }
    await client.query('analyze users')
    await client.query('analyze subscriptions')
  } finally {
    await client.end()
  }
  return (performance.now() - startedAt) / 1000
}
