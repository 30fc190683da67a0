import type { LedgerRow } from '@herald/contracts/calls/tracker'
import type { Platform } from '@herald/contracts/platform'
import type { Tenant } from '@herald/testing/tenant'
import { givenDevices, ok, type Json, type Registered } from './campaigns.ts'

// Helpers for tests of dry runs: they ask for dry runs as the dashboard does, and compare them with the ledger of a send.

export type DryRun = {
  audience: { devices: number; users: number; byPlatform: Record<Platform, number>; exact: boolean }
  unreachable: { optedOut: number; invalidated: number }
  skips: { reason: string; devices: number; exact: boolean }[]
  waves: { at: string; devices: number }[]
  experiment: { inSample: number; remainder: number; byVariant: Record<string, number> } | null
  locales: { locale: string; devices: number; fallback: number }[]
  bytes: { platform: Platform; locale: string | null; variant: string | null; max: number; limit: number; truncated: boolean }[]
  samples: {
    subscriptionId: string
    platform: Platform
    entry: Json | null
    payload: Json | null
    bytes: number
    limit: number
    skip: string | null
  }[]
  warnings: { code: string; path: string; message: string; devices: number | null }[]
  estimate: { seconds: number | null; perSecond: number | null; basis: string }
}

export type Member = Registered & { externalId: string }

const languages = ['en', 'de-AT', 'de', 'pt-BR', 'ja', undefined]
const zones = ['Europe/Vienna', 'America/New_York', 'Asia/Tokyo', 'Pacific/Auckland', undefined]

/**
 * Makes forty users with 66 devices, in five languages and four time zones; some users have no language or no time zone. Every eleventh device is
 * opted out.
 */
export async function givenAudience(tenant: Tenant): Promise<Member[]> {
  const userAt = (index: number): Json => ({
    externalId: `user-${index % 40}`,
    tags: { plan: index % 3 === 0 ? 'pro' : 'free', name: `Name ${index % 40}`, orders: index % 7 },
    ...(languages[index % 6] === undefined ? {} : { language: languages[index % 6] }),
    ...(zones[index % 5] === undefined ? {} : { timezone: zones[index % 5] }),
  })
  const all: Member[] = []
  for (const [platform, count] of [
    ['ios', 30],
    ['android', 24],
    ['web', 12],
  ] as const) {
    const from = all.length
    const devices = await givenDevices(tenant, platform, count, (index) => userAt(from + index))
    all.push(...devices.map((device, index) => ({ ...device, externalId: `user-${(from + index) % 40}` })))
  }
  for (const { id } of all.filter((_, index) => index % 11 === 10))
    ok(await tenant.call('PATCH', `/v1/subscriptions/${id}`, { optedIn: false }), 200)
  return all
}

/** Gives the functions that these tests use for an app: dry runs, delivery rules and sends. */
export const dryRunsOf = (tenant: Tenant) => ({
  dryRun: async (body: Json): Promise<DryRun> => ok(await tenant.admin<DryRun>('POST', '/dry-run', body), 200),
  setSettings: async (settings: Json) => ok(await tenant.admin('PATCH', '', { settings }), 200),
  notify: async (notification: Json): Promise<string> =>
    ok(await tenant.call<{ id: string }>('POST', '/v1/notifications', notification), 202).id,
})
export const noRules = { frequencyCap: null, quietHours: null }

export const byPlatform = (rows: LedgerRow[]): Record<Platform, number> => {
  const counts = { ios: 0, android: 0, web: 0 }
  for (const { platform } of rows) counts[platform] += 1
  return counts
}
export const skipsOf = (rows: LedgerRow[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { outcome, code } of rows) if (outcome === 'skipped') counts[code ?? ''] = (counts[code ?? ''] ?? 0) + 1
  return counts
}
export const skipsSaid = ({ skips }: DryRun): Record<string, number> =>
  Object.fromEntries(skips.map(({ reason, devices }) => [reason, devices]))
