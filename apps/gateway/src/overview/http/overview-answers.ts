import { Id } from '@herald/contracts/text'
import { providerKinds } from '@herald/contracts/app'
import { environments } from '@herald/contracts/batch'
import { failureCodes, outcomes } from '@herald/contracts/outcome'
import { perPlatform, platforms } from '@herald/contracts/platform'
import type { Breakdown as BreakdownRead, Curve as CurveRead, DeviceDay, Series as SeriesRead } from '@herald/contracts/series'
import { campaignStatuses } from '@herald/contracts/stats'
import { z } from 'zod'
import { attentionCodes } from '../core/attention.ts'
import type { readOverview } from '../read-overview.ts'
import { Count, describes, Time } from '../../http/answers.ts'
import { circuit } from '../../apps/http/app-answers.ts'
import type { System } from '../read-system.ts'

const PlatformName = z.enum(platforms)
const byPlatform = <Of extends z.ZodType>(of: Of) => z.object(perPlatform(() => of))

const reported = { delivered: Count, opened: Count, clicked: Count, dismissed: Count, converted: Count }
const counted = { queued: Count, sent: Count, failed: Count, skipped: Count, ...reported }
const Counted = z.object(counted)
const codeCount = { platform: PlatformName, outcome: z.enum(outcomes), code: z.string(), count: Count }

const devices = {
  total: Count,
  reachable: Count,
  optedOut: Count,
  invalidated: Count.meta({ description: 'Invalidated devices, opted out or not. reachable, optedOut and invalidated add up to total.' }),
  active1d: Count,
  active7d: Count,
  active30d: Count,
}
const named = { campaignId: Id, name: z.string() }

export const Overview = describes<Awaited<ReturnType<typeof readOverview>>>()(
  z.object({
    asOf: Time,
    devicesAsOf: Time.meta({
      description: 'When the devices were counted: up to 60 s before asOf; with more than 5,000,000 devices at the last daily count.',
    }),
    devices: byPlatform(z.object(devices)),
    last24h: Counted.meta({ description: 'The present hour and the 23 before it.' }),
    previous24h: Counted,
    days: z.array(z.object({ at: Time, ...counted })).meta({ description: 'The last 30 UTC days, today the last of them.' }),
    campaigns: z
      .record(z.string(), Count)
      .meta({ description: `Campaigns by status (${campaignStatuses.join(', ')}), without notifications.` }),
    nextSends: z
      .array(z.object({ ...named, at: Time, schedule: z.string() }))
      .meta({ description: 'The next ten that begin by themselves.' }),
    circuits: z.array(
      z.object({
        platform: PlatformName,
        environment: z.enum(environments),
        state: z.enum(['closed', 'open']),
        code: z.enum(failureCodes).nullable(),
        since: Time,
        probeAt: Time.nullable(),
        heldCount: Count,
      }),
    ),
    providers: z.array(z.object({ kind: z.enum(providerKinds), platform: PlatformName, configured: z.boolean() })),
    attention: z
      .array(
        z.object({
          code: z.enum(attentionCodes),
          params: z.record(z.string(), z.union([z.string(), z.number()]).nullable()),
          href: z.string(),
        }),
      )
      .meta({ description: 'What the operator should look at, and the operation that says more.' }),
  }),
)

export const Series = describes<SeriesRead>()(
  z.object({
    points: z.array(z.object({ at: Time, platform: PlatformName.optional(), ...counted })),
    codes: z
      .array(z.object({ at: Time, ...codeCount }))
      .optional()
      .meta({ description: 'With by=code: pushes that failed or were skipped, by bucket, platform and code.' }),
  }),
)

export const DeviceSeries = describes<{ points: DeviceDay[] }>()(
  z.object({
    points: z.array(
      z.object({
        at: Time,
        platform: PlatformName,
        takenAt: Time,
        new: Count.meta({ description: 'Devices registered on that day that still exist.' }),
        ...devices,
      }),
    ),
  }),
)

export const Curve = describes<CurveRead>()(
  z.object({
    startedAt: Time.nullable().meta({ description: 'When its first push was queued; null when none was.' }),
    kept: z.boolean().meta({ description: 'False for a notification of at most 1,000 pushes: it has no curve.' }),
    points: z
      .array(z.object({ afterSeconds: Count, ...reported }))
      .meta({ description: 'A step is a minute in the first hour, 10 minutes in the first day, and an hour after that.' }),
  }),
)

const CountOrUnknown = Count.nullable()
const onPlatform = z.object({ queued: Count, open: Count, sent: CountOrUnknown, failed: CountOrUnknown, skipped: CountOrUnknown })
const { queued: _queued, converted: _converted, ...ofVariant } = counted
export const Breakdown = describes<BreakdownRead>()(
  z.object({
    byPlatform: byPlatform(onPlatform),
    codes: z.array(z.object(codeCount)).nullable().meta({
      description:
        'Null where they are unknown: for a campaign that began before codes were counted, or a small one past the retention of the ledger.',
    }),
    variants: z.record(z.string(), z.object(ofVariant)),
    actions: z
      .array(z.object({ action: z.string(), clicked: Count }))
      .meta({ description: 'Clicks on buttons, the most clicked first, at most 50. A click on the notification itself is in none.' }),
  }),
)

export const SystemRead = describes<System>()(
  z.object({
    version: z.string(),
    baseUrl: z.string().nullable(),
    database: z.enum(['ready', 'unreachable']),
    standby: z.enum(['none', 'synchronous', 'asynchronous']).nullable().meta({
      description: 'Whether the gateway’s database has a standby. A failover to an asynchronous one loses the newest sends.',
    }),
    queue: z.enum(['ready', 'unreachable']).meta({ description: 'NATS, over which the services of Herald speak.' }),
    ledgerDifference: z.int().min(0).nullable().meta({
      description: 'By how much counters and ledger differ in all; it must be 0. Null when it is not counted yet, or the tracker is away.',
    }),
    openCircuits: z
      .object({ count: Count, items: z.array(z.object({ appId: Id, ...circuit })) })
      .nullable()
      .meta({ description: 'The open circuits of all apps: the 100 newest. Null when audience is away.' }),
    trustedProxies: z.boolean().meta({
      description: 'Whether TRUSTED_PROXIES is set. If not, the proxy in front must overwrite x-forwarded-for.',
    }),
    simulator: z.boolean().meta({ description: 'True when providers are simulated: no real device gets anything.' }),
  }),
)
