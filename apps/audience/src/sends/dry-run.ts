import type { AppSettings } from '@herald/contracts/app'
import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { AudienceDryRun, ChosenSamples, SampleDevice } from '@herald/contracts/dry-run'
import { Fault, fault, notFound, tooManyReads } from '@herald/contracts/fault'
import { sumOf } from '@herald/contracts/platform'
import { recipientsOf } from '@herald/contracts/recipient'
import type { Audience } from '../audience.ts'
import { namesOfSend } from '../delivery/core/names-of-send.ts'
import { partOf } from '../delivery/core/recipient.ts'
import { listCircuits } from '../delivery/store/circuits.ts'
import { readDevices } from '../delivery/store/recipients.ts'
import type { Db } from '../store/tables.ts'
import { addUp, whySampleSkipped } from './core/dry-run.ts'
import { categoryObeyed, rulesFor, skipRule } from './core/queueing.ts'
import type { Wave } from './core/waves.ts'
import { resolveTarget } from './cut-page.ts'
import { plan } from './start-fan-out.ts'
import {
  countUnknown,
  describeDevices,
  estimateDevices,
  pickDevices,
  prepareForScan,
  scanAudience,
  type Described,
  type DryRunScan,
  type PlannedZone,
} from './store/dry-runs.ts'
import type { Selection } from './store/pages.ts'
import { findZones } from './store/zones.ts'

export type DryRunAsked = { appId: string; send: FrozenSend; target: FrozenTarget; startsAt: string | null; samples: ChosenSamples }

/**
 * Above `exactUpTo` devices a dry run to a segment or to all reads only a part of the table, with about `sampled` of the app's devices. Other targets
 * are counted in full.
 */
export type DryRunBounds = { exactUpTo: number; sampled: number }
const bounds: DryRunBounds = { exactUpTo: 5_000_000, sampled: 250_000 }

/**
 * Counts what a send would do if it began at `startsAt` (spec: sending/dry-run), in one read-only snapshot. It writes nothing. Faults: not_found (the
 * app), invalid_segment, rate_limited (a statement takes over 8 s, or `lastNotifiedAt` is not known yet).
 */
export async function dryRun(
  { db, settingsOf, lastNotified }: Pick<Audience, 'db' | 'settingsOf' | 'lastNotified'>,
  asked: DryRunAsked,
  limits: DryRunBounds = bounds,
): Promise<AudienceDryRun> {
  const { appId, target } = asked
  const settings = await settingsOf(appId)
  if (!settings) throw notFound()
  const resolved = resolveTarget(target)
  if (!resolved.ok) throw fault('invalid_segment', resolved.failure.message)
  const { selection } = resolved
  // Campaigns refuses the dry run of a recall.
  if (selection.kind === 'reached') throw fault('invalid_state', 'A recall has no dry run.')
  if (selection.kind === 'segment' && !(await lastNotified(appId, selection.segment))) throw tooManyReads(5)
  try {
    return await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute((trx) => count(trx, asked, { settings, selection, limits }))
  } catch (error) {
    if (!isCancelled(error)) throw error
    throw new Fault('rate_limited', 'The dry run took too long. Try again later.', undefined, error, 5)
  }
}

/** Whether Postgres ended a statement at its time limit (57014). */
const isCancelled = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '57014'

async function count(
  trx: Db,
  { appId, send, startsAt, samples }: DryRunAsked,
  { settings, selection, limits }: { settings: AppSettings; selection: Selection; limits: DryRunBounds },
): Promise<AudienceDryRun> {
  const now = await prepareForScan(trx)
  const startedAt = new Date(Math.max(now.getTime(), startsAt === null ? 0 : Date.parse(startsAt)))
  const waves = await plan({ db: trx }, { send, settings, startedAt }, selection)
  const expiredWave = waves?.findIndex(({ expired }) => expired === true) ?? -1
  const { zones, last } = await planZones(trx, { appId, send, settings, selection, startedAt }, waves)
  const scan: DryRunScan = {
    ...{ appId, send, selection, startedAt, zones, last, expiredWave },
    cap: rulesFor(send, settings).frequencyCap,
    holdout: rulesFor(send, settings).holdout,
    category: categoryObeyed(send),
    seed: 'seed' in samples ? samples.seed : '',
    fraction: await fractionOf(trx, appId, selection, limits),
  }

  const scanned = await scanAudience(trx, scan)
  const instants = waves?.map(({ at }) => at) ?? [startedAt.toISOString()]
  const counted = addUp(send, { ...scanned, fraction: scan.fraction, waves: instants, expiredWave })
  const chosen = 'random' in samples ? await chooseAtRandom(trx, scan, samples.random, scanned.picks, counted) : samples.subscriptionIds
  const described = chosen.length > 0 ? await describeDevices(trx, scan, chosen) : []
  const known = new Set(described.map(({ id }) => id))
  const circuits = await listCircuits(trx, appId)
  return {
    startsAt: startedAt.toISOString(),
    ...counted,
    isWhole: !send.remainder,
    unknownIds: await countUnknown(trx, appId, selection),
    samples: await readSamples(trx, scan, chosen, described),
    unknownSamples: chosen.flatMap((id, place) => (known.has(id) ? [] : [place])),
    openCircuits: circuits.flatMap(({ state, platform, environment, code }) => (state === 'open' ? [{ platform, environment, code }] : [])),
  }
}

/**
 * Gives the wave of each time zone, and whether quiet hours would skip its users at the instant of that wave. Gives no zones when time zones make no
 * difference to the send.
 */
async function planZones(
  trx: Db,
  {
    appId,
    send,
    settings,
    selection,
    startedAt,
  }: { appId: string; send: FrozenSend; settings: AppSettings; selection: Selection; startedAt: Date },
  waves: readonly Wave[] | null,
): Promise<{ zones: PlannedZone[]; last: { wave: number; at: Date } }> {
  const { skipIn } = rulesFor(send, settings)
  const { defaultTimezone } = settings
  const planned: readonly Wave[] = waves ?? [{ at: startedAt.toISOString(), zones: skipIn ? await findZones(trx, appId, selection) : [] }]
  const last = { wave: planned.length - 1, at: new Date(planned.at(-1)?.at ?? startedAt) }
  if (!waves && !skipIn) return { zones: [], last }
  const zones = planned.flatMap((wave, place) => {
    const at = new Date(wave.at)
    const whySkipped = skipRule(send.silent, { skipIn, defaultTimezone, at, expired: wave.expired === true })
    return wave.zones.map((zone) => ({
      zone,
      wave: place,
      at,
      quiet: whySkipped({ platform: 'ios', zone: zone === '' ? null : zone }) === 'quiet_hours',
    }))
  })
  return { zones, last }
}

/**
 * Gives the fraction of the table that is read: 1, or less when the target is a segment or all devices, in an app with more than
 * `exactUpTo` devices.
 */
async function fractionOf(trx: Db, appId: string, selection: Selection, { exactUpTo, sampled }: DryRunBounds): Promise<number> {
  if (selection.kind !== 'all' && selection.kind !== 'segment') return 1
  const devices = await estimateDevices(trx, appId)
  return devices > exactUpTo ? Math.min(1, sampled / devices) : 1
}

/**
 * Chooses sample devices at random. The scan has picked at most one device from each of 64 parts of the audience. When it picked too few,
 * because the audience is small, another query chooses them.
 */
async function chooseAtRandom(
  trx: Db,
  scan: DryRunScan,
  wanted: number,
  picks: string[],
  { audience: { byPlatform }, experiment }: Pick<AudienceDryRun, 'audience' | 'experiment'>,
): Promise<string[]> {
  const devices = experiment?.inSample ?? sumOf(byPlatform)
  if (picks.length >= Math.min(wanted, devices)) return picks.slice(0, wanted)
  return pickDevices(trx, scan, wanted)
}

/**
 * Reads the sample devices in the order given, each with the values for its text, with the query that reads a batch for a dispatcher. Addresses and
 * keys do not leave audience.
 */
async function readSamples(
  trx: Db,
  { appId, send, expiredWave }: DryRunScan,
  chosen: string[],
  described: Described[],
): Promise<SampleDevice[]> {
  // The sample of a person outside the category is shown too, with the reason why it would be skipped.
  const { category: _, ...names } = namesOfSend(send)
  const found = new Map<string, SampleDevice>()
  for (const [platform, devices] of Map.groupBy(described, (device) => device.platform)) {
    const subscriptionIds = devices.map(({ id }) => id)
    const queued = await readDevices(trx, { appId, platform, names, subscriptionIds, userIds: devices.map(({ userId }) => userId) })
    const recipients = queued ? recipientsOf(partOf(queued, names, platform, 0).recipients) : []
    const recipientOf = new Map(recipients.map((recipient) => [recipient.subscriptionId, { ...recipient, address: '', keys: null }]))
    for (const device of devices)
      found.set(device.id, {
        subscriptionId: device.id,
        userId: device.userId,
        platform,
        variant: device.variant ?? '',
        skip: whySampleSkipped(send, { ...device, expired: device.wave === expiredWave }),
        recipient: recipientOf.get(device.id) ?? null,
      })
  }
  return chosen.flatMap((id) => found.get(id) ?? [])
}
