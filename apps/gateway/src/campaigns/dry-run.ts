import { platformOf, providerKinds } from '@herald/contracts/app'
import { dryRun as askAudience } from '@herald/contracts/calls/audience'
import { resolveSend } from '@herald/contracts/calls/campaigns'
import { readPace } from '@herald/contracts/calls/tracker'
import { samplesOf, type AudienceDryRun, type DryRun, type Estimated } from '@herald/contracts/dry-run'
import { Fault } from '@herald/contracts/fault'
import { openTurnTime } from '@herald/service/turn-time'
import { newId } from '@herald/contracts/ids'
import { payloadLimits } from '@herald/contracts/payload'
import { sumOf, type Platform } from '@herald/contracts/platform'
import { estimateOf, renderDryRun, type MeasuredText, type RenderedSample } from './core/dry-run.ts'
import { warningsOf, type Warning } from './core/dry-run-warnings.ts'
import type { Gateway } from '../gateway.ts'
import { getApp } from '../apps/store/apps.ts'
import { findProvider } from '../apps/store/providers.ts'

/** All dry runs of this process together. */
const rendering = openTurnTime(4)

/**
 * Says what a send would do, and writes nothing (spec: sending/dry-run). Campaigns resolves, audience counts and the gateway renders samples as in a
 * send. `showsSamples`: the caller may see users' values. Faults: rate_limited, and those of accepting and sending.
 */
export const dryRun = (
  gateway: Pick<Gateway, 'db' | 'bus' | 'heavyReads'>,
  asked: { appId: string; body: DryRun; showsSamples: boolean },
): Promise<DryRunShown> => gateway.heavyReads.dryRuns(() => run(gateway, asked), asked.appId)

async function run(
  { db, bus }: Pick<Gateway, 'db' | 'bus'>,
  { appId, body, showsSamples }: { appId: string; body: DryRun; showsSamples: boolean },
): Promise<DryRunShown> {
  const { notification, campaign, campaignId } = body
  const { settings } = await getApp(db, appId)
  const { defaultTimezone } = settings
  const at = notification ? 'notification.' : campaign ? 'campaign.' : ''
  const tried = notification ? { notification } : campaign ? { campaign } : { campaignId: campaignId ?? '' }
  const { send, target, startsAt } = await bus.call(resolveSend, { appId, defaultTimezone, ...tried }).catch((error: unknown) => {
    throw below(at, error)
  })
  // Nobody would see them, and rendering them costs most of a dry run.
  const samples = showsSamples ? samplesOf(body.samples, newId()) : { subscriptionIds: [] }
  const [counted, { pace }, configured] = await Promise.all([
    bus.call(askAudience, { appId, send, target, startsAt, samples }),
    bus.call(readPace, { appId }),
    findConfigured(db, appId),
  ])

  const rendered = await renderDryRun({ ...send, defaultTimezone }, counted, async () => {
    if (rendering.isUsedUp(performance.now())) await rendering.next()
  })
  const estimate = estimateOf(counted, pace, send.sendRate)
  const warnings = warningsOf({ send, target, run: counted, ...rendered, estimate, configured, at })
  const { seconds, perSecond, basis } = estimate
  return {
    ...shownCounts(counted),
    bytes: rendered.texts.map(shownText),
    samples: rendered.samples.map(shownSample),
    warnings,
    estimate: { seconds, perSecond, basis },
  }
}

async function findConfigured(db: Gateway['db'], appId: string): Promise<Set<Platform>> {
  const found = await Promise.all(providerKinds.map(async (kind) => ((await findProvider(db, appId, kind)) ? [platformOf[kind]] : [])))
  return new Set(found.flat())
}

/** Gives an error with the paths of this request. The send's own paths get `at` before them, such as `notification.`. */
function below(at: string, error: unknown): unknown {
  if (!Fault.is(error) || !error.details || at === '') return error
  const details = error.details.map(({ path, message }) => ({ path: `${at}${path}`, message }))
  const [first] = error.details
  const message = first && first.path !== '' ? error.message.replace(first.path, `${at}${first.path}`) : error.message
  return new Fault(error.code, message, details, error, error.retryAfterSeconds)
}

export type DryRunShown = ReturnType<typeof shownCounts> & {
  bytes: ReturnType<typeof shownText>[]
  samples: ReturnType<typeof shownSample>[]
  warnings: Warning[]
  estimate: { seconds: number | null; perSecond: number | null; basis: string }
}

function shownCounts({ audience, estimated, isWhole, unreachable, skips, waves, experiment, locales }: AudienceDryRun) {
  const { users, byPlatform } = audience
  const devices = sumOf(byPlatform)
  return {
    audience: { devices, users, byPlatform, ...exactness(estimated, isWhole) },
    unreachable,
    skips: skips.map((skip) => ({ reason: skip.reason, devices: skip.devices, ...exactness(skip.estimated, isWhole) })),
    waves,
    experiment,
    locales: [...Map.groupBy(locales, ({ locale }) => locale)].map(([locale, of]) => ({
      locale,
      devices: of.reduce((sum, one) => sum + sumOf(one.byPlatform), 0),
      fallback: of.reduce((sum, { fallback }) => sum + fallback, 0),
    })),
  }
}

const exactness = (estimated: Estimated | null, isWhole: boolean): { exact: boolean } & Partial<Estimated> =>
  estimated ? { exact: false, ...estimated } : { exact: isWhole }

const shownText = ({ platform, locale, variant, max, limit, truncated }: MeasuredText) => ({
  platform,
  locale,
  variant: variant === '' ? null : variant,
  max,
  limit,
  truncated,
})

const shownSample = ({
  subscriptionId,
  userId,
  platform,
  variant,
  locale,
  entry,
  payload,
  bytes,
  skip,
  notes,
  truncated,
}: RenderedSample) => ({
  subscriptionId,
  userId,
  platform,
  variant: variant === '' ? null : variant,
  locale,
  entry,
  payload,
  bytes,
  limit: payloadLimits[platform],
  skip,
  warnings: [...new Set([...notes.map(({ code }) => code), ...(truncated ? ['body_truncated'] : [])])],
})
