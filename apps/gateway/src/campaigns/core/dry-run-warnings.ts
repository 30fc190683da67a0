import { providerOf } from '@herald/contracts/app'
import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import { localesOf } from '@herald/contracts/content'
import type { AudienceDryRun } from '@herald/contracts/dry-run'
import { mostActions } from '@herald/contracts/payload'
import { platformNames, platforms, sumOf, type Platform } from '@herald/contracts/platform'
import type { RenderNote } from '@herald/contracts/render-entry'
import { contentOf, type Estimate, type MeasuredText, type RenderedSample } from './dry-run.ts'
import { spanOf } from '@herald/contracts/span-of'

/**
 * A warning of a dry run. `path` says what it is about: a path in the request, or `providers.` followed by a provider. `devices`: how many devices it
 * concerns; null when they were not counted.
 */
export type Warning = { code: string; path: string; message: string; devices: number | null }

type Looked = {
  send: FrozenSend
  target: FrozenTarget
  run: AudienceDryRun
  samples: RenderedSample[]
  texts: MeasuredText[]
  estimate: Estimate
  /** The platforms that the app has credentials for. */
  configured: ReadonlySet<Platform>
  /** The beginning of the send's paths in the request: `notification.`, `campaign.`, or '' for a stored campaign. */
  at: string
}

const nameOf = (platform: Platform): string => (platform === 'web' ? 'the web' : platformNames[platform])
/** The dry run warns of missing texts when at least this share of the devices belongs to users in whose language the content has no text. */
const shareWorthAWord = 0.01

/** Gives the warnings of a dry run: what to know before the send goes out (spec: sending/dry-run-warnings). */
export const warningsOf = (looked: Looked): Warning[] => [
  ...truncated(looked),
  ...ofRendering(looked),
  ...actionsCut(looked),
  ...missingLocales(looked),
  ...unknownIds(looked),
  ...ofProviders(looked),
  ...webNeverSeen(looked),
  ...capSkipsMost(looked),
  ...ttlBelowEstimate(looked),
  ...rateOverADay(looked),
]

const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`

function pathOf({ send, at }: Pick<Looked, 'send' | 'at'>, variant: string, locale: string | null): string {
  const place = send.experiment?.variants.findIndex(({ id }) => id === variant) ?? -1
  return `${at}${place < 0 ? '' : `experiment.variants.${place}.`}content${locale === null ? '' : `.${locale}`}`
}

const truncated = (looked: Looked): Warning[] =>
  looked.texts
    .filter((text) => text.truncated)
    .map(({ platform, locale, variant, max, limit, devices }) => ({
      code: 'body_truncated',
      path: `${pathOf(looked, variant, locale)}.body`,
      message:
        max > limit
          ? `is too large for ${nameOf(platform)} even when its text is cut: these pushes will fail`
          : `is cut for ${nameOf(platform)}, whose payloads hold ${limit} bytes`,
      devices,
    }))

const saying: Record<RenderNote['code'], string> = {
  placeholder_empty: 'has a placeholder that comes out empty',
  text_cut: 'is too long when it is filled in, and is cut',
  url_dropped: 'is no valid link when it is filled in, and is left out',
  image_dropped: 'is no valid address of an image when it is filled in, and is left out',
}

function ofRendering(looked: Looked): Warning[] {
  const { samples } = looked
  const noted = samples.flatMap(({ notes, variant, locale }) => {
    const found = new Map(notes.map(({ code, path }) => [`${code} ${path}`, { code, path: `${pathOf(looked, variant, locale)}.${path}` }]))
    return [...found.values()]
  })
  return [...Map.groupBy(noted, ({ code, path }) => `${code} ${path}`).values()].flatMap((of) => {
    const [first] = of
    return first
      ? [{ ...first, message: `${saying[first.code]}, for ${of.length} of ${count(samples.length, 'sample')}`, devices: null }]
      : []
  })
}

const actionsCut = (looked: Looked): Warning[] =>
  looked.run.locales.flatMap(({ variant, locale, byPlatform }) => {
    const texts = contentOf(looked.send, variant)
    const actions = texts ? (localesOf(texts).find(([name]) => name === locale)?.[1].actions?.length ?? 0) : 0
    return platforms.flatMap((platform) =>
      byPlatform[platform] > 0 && actions > mostActions[platform]
        ? [
            {
              code: 'actions_cut',
              path: `${pathOf(looked, variant, locale)}.actions`,
              message: `has ${actions} actions; ${nameOf(platform)} shows ${mostActions[platform]}`,
              devices: byPlatform[platform],
            },
          ]
        : [],
    )
  })

const missingLocales = (looked: Looked): Warning[] =>
  [...Map.groupBy(looked.run.locales, ({ variant }) => variant)].flatMap(([variant, locales]) => {
    const all = locales.reduce((sum, { byPlatform }) => sum + sumOf(byPlatform), 0)
    const missing = locales.reduce((sum, one) => sum + one.missing, 0)
    if (missing === 0 || missing < all * shareWorthAWord) return []
    const message = `has no text in the language of ${count(missing, 'device')} of ${all}; they get the default`
    return [{ code: 'missing_locale', path: pathOf(looked, variant, null), message, devices: missing }]
  })

function unknownIds({ target, run, at }: Looked): Warning[] {
  const { unknownIds: unknown } = run
  const ofTarget =
    unknown > 0
      ? [
          {
            code: 'unknown_ids',
            path: `${at}target.${target.kind}`,
            message: `lists ${count(unknown, 'id')} that nobody has`,
            devices: null,
          },
        ]
      : []
  const ofSamples = run.unknownSamples.map((place) => ({
    code: 'unknown_ids',
    path: `samples.subscriptionIds.${place}`,
    message: 'is no device of this app',
    devices: null,
  }))
  return [...ofTarget, ...ofSamples]
}

const ofProviders = ({ run, configured }: Looked): Warning[] =>
  platforms.flatMap((platform): Warning[] => {
    const devices = run.audience.byPlatform[platform]
    if (devices === 0) return []
    const path = `providers.${providerOf[platform]}`
    if (!configured.has(platform))
      return [{ code: 'not_configured', path, message: `has no credentials: pushes to ${nameOf(platform)} will fail`, devices }]
    const open = run.openCircuits.find((circuit) => circuit.platform === platform)
    const why = open?.code ? ` (${open.code})` : ''
    return open ? [{ code: 'circuit_open', path, message: `does not take our pushes${why}: they wait until it does`, devices }] : []
  })

const webNeverSeen = ({ run: { webNeverSeen: devices } }: Looked): Warning[] =>
  devices === 0
    ? []
    : [
        {
          code: 'web_never_seen',
          path: 'providers.webpush',
          message: `${count(devices, 'browser')} came with an import and have not visited the site since: they may not show it`,
          devices,
        },
      ]

function capSkipsMost({ run, at }: Looked): Warning[] {
  const skipped = run.skips.find(({ reason }) => reason === 'frequency_cap')?.devices ?? 0
  const queued = run.experiment?.inSample ?? sumOf(run.audience.byPlatform)
  if (skipped * 2 <= queued) return []
  const message = `is off: the frequency cap will skip ${skipped} of ${count(queued, 'device')}`
  return [{ code: 'cap_skips_most', path: `${at}bypass.frequencyCap`, message, devices: skipped }]
}

const daySeconds = 86_400

function rateOverADay({ send: { sendRate }, estimate: { seconds, devices, basis }, at }: Looked): Warning[] {
  if (!sendRate || basis !== 'send_rate' || seconds === null || seconds <= daySeconds) return []
  const late = devices - sendRate.perMinute * (daySeconds / 60)
  const message = `is ${sendRate.perMinute} a minute, so the send takes ${Math.ceil(seconds / 3_600)} hours`
  return [{ code: 'rate_over_24_h', path: `${at}sendRate.perMinute`, message, devices: late }]
}

function ttlBelowEstimate({ send: { ttl }, estimate: { seconds, devices, perSecond, basis }, at }: Looked): Warning[] {
  // The ttl of a push counts from its turn.
  if (seconds === null || perSecond === null || ttl === 0 || ttl >= seconds || basis === 'send_rate') return []
  const late = Math.max(0, devices - Math.floor(perSecond * ttl))
  const message = `is ${spanOf(ttl)}, and sending will take about ${spanOf(seconds)}: devices whose turn comes later are skipped`
  return [{ code: 'ttl_below_estimate', path: `${at}ttl`, message, devices: late }]
}
