import type { FrozenSend } from '@herald/contracts/batch'
import type { AudienceDryRun, Estimated, SampleSkip, ShownLocale } from '@herald/contracts/dry-run'
import { perPlatform, sumOf, type Platform } from '@herald/contracts/platform'

/**
 * Devices and users that a send would treat in the same way: reachable devices by platform, unreachable ones, and users. `variant` is null outside
 * the experiment's sample, `locale` when the send has no text in the users' language.
 */
export type Group = Record<Platform, number> & {
  wave: number
  held: boolean
  /** Whether the users are outside the send's category. */
  outside: boolean
  quiet: boolean
  capped: boolean
  variant: string | null
  locale: string | null
  /** Whether a language of the users is known. */
  speaks: boolean
  optedOut: number
  invalidated: number
  /** Reachable browsers that an import has brought and that have not come to the site since. */
  unseen: number
  users: number
}
/**
 * How many devices of the send's audience one block of the table has, and how many each rule skips (`web`: browsers, which a silent send skips). A
 * device counts for the first rule that skips it.
 */
export type Block = {
  devices: number
  held: number
  optedOut: number
  expired: number
  web: number
  outside: number
  quiet: number
  capped: number
}
type Counted = Pick<
  AudienceDryRun,
  'audience' | 'estimated' | 'unreachable' | 'skips' | 'waves' | 'experiment' | 'locales' | 'webNeverSeen'
>

/**
 * Adds up what a send would do. With `fraction` below 1 the numbers are estimates, of devices and skips with intervals. `expiredWave`: the index of
 * the wave whose time has passed, left out of the answer; -1 for none.
 */
export function addUp(
  { silent, content, experiment, inbox }: Pick<FrozenSend, 'silent' | 'content' | 'experiment' | 'inbox'>,
  {
    groups,
    blocks,
    fraction,
    waves,
    expiredWave,
  }: { groups: readonly Group[]; blocks: readonly Block[]; fraction: number; waves: readonly string[]; expiredWave: number },
): Counted {
  const whole = (devices: number): number => Math.round(devices / fraction)
  const sum = (of: readonly Group[], read: (group: Group) => number): number => whole(of.reduce((total, group) => total + read(group), 0))
  const byPlatform = (of: readonly Group[]) => perPlatform((platform) => sum(of, (group) => group[platform]))
  const sampleSize = blocks.reduce((total, { devices }) => total + devices, 0)
  const estimate = (read: (block: Block) => number): Estimated | null =>
    fraction >= 1 ? null : { sampleSize, interval: intervalOf(blocks.map(read), fraction) }

  // No push is queued for users outside the sample of an experiment.
  const queued = groups.filter(({ variant }) => variant !== null)
  const skipped = (reason: AudienceDryRun['skips'][number]['reason'], devices: number, read: (block: Block) => number) =>
    devices === 0 ? [] : [{ reason, devices, estimated: estimate(read) }]
  // Who is held out is skipped for that reason, whatever else would skip the push.
  const meant = queued.filter(({ held }) => !held)
  const due = meant.filter(({ wave }) => wave !== expiredWave)
  const inside = due.filter(({ outside }) => !outside)
  const awake = inside.filter(({ quiet }) => !quiet)
  const heldOut = sum(
    queued.filter(({ held }) => held),
    (group) => sumOf(group) + (inbox ? group.optedOut : 0),
  )
  const held = skipped('holdout', heldOut, (block) => block.held)
  const expired = skipped('expired', sum(meant, sumOf) - sum(due, sumOf), ({ expired: devices }) => devices)
  return {
    audience: { users: sum(groups, ({ users }) => users), byPlatform: byPlatform(groups) },
    estimated: estimate(({ devices }) => devices),
    unreachable: { optedOut: sum(groups, ({ optedOut }) => optedOut), invalidated: sum(groups, ({ invalidated }) => invalidated) },
    skips: silent
      ? [
          ...expired,
          ...skipped(
            'silent_web',
            sum(due, ({ web }) => web),
            ({ web }) => web,
          ),
        ]
      : [
          ...held,
          ...(inbox
            ? skipped(
                'opted_out',
                sum(
                  meant.filter(({ outside }) => !outside),
                  ({ optedOut }) => optedOut,
                ),
                ({ optedOut }) => optedOut,
              )
            : []),
          ...expired,
          ...skipped(
            'unsubscribed',
            sum(
              due.filter(({ outside }) => outside),
              sumOf,
            ) +
              sum(
                meant.filter(({ outside }) => outside),
                ({ optedOut }) => (inbox ? optedOut : 0),
              ),
            ({ outside }) => outside,
          ),
          ...skipped(
            'quiet_hours',
            sum(
              inside.filter(({ quiet }) => quiet),
              sumOf,
            ),
            ({ quiet }) => quiet,
          ),
          ...skipped(
            'frequency_cap',
            sum(
              awake.filter(({ capped }) => capped),
              sumOf,
            ),
            ({ capped }) => capped,
          ),
        ],
    waves: waves.flatMap((at, place) => {
      const ofWave = queued.filter(({ wave }) => wave === place)
      return place === expiredWave ? [] : [{ at, devices: sum(ofWave, sumOf) }]
    }),
    experiment: experiment
      ? {
          inSample: sum(queued, sumOf),
          remainder: sum(
            groups.filter(({ variant }) => variant === null),
            sumOf,
          ),
          byVariant: Object.fromEntries(
            experiment.variants.map(({ id }) => [
              id,
              sum(
                queued.filter(({ variant }) => variant === id),
                sumOf,
              ),
            ]),
          ),
        }
      : null,
    webNeverSeen: sum(queued, ({ unseen }) => unseen),
    locales: silent ? [] : shownLocales(queued, defaultsOf(content, experiment), byPlatform, sum),
  }
}

function defaultsOf(content: FrozenSend['content'], experiment: FrozenSend['experiment']): Map<string, string> {
  const texts = experiment ? experiment.variants.map((variant) => ({ id: variant.id, content: variant.content })) : [{ id: '', content }]
  return new Map(
    texts.flatMap(({ id, content: ofVariant }) => {
      if (!ofVariant) return []
      const { _default: fallback } = ofVariant
      return [[id, fallback] as const]
    }),
  )
}

function shownLocales(
  queued: readonly Group[],
  defaults: ReadonlyMap<string, string>,
  countsOf: (of: readonly Group[]) => Record<Platform, number>,
  sum: (of: readonly Group[], read: (group: Group) => number) => number,
): ShownLocale[] {
  const shown = Map.groupBy(queued, ({ variant, locale }) => `${variant} ${locale ?? defaults.get(variant ?? '')}`)
  return [...shown.values()]
    .flatMap((groups): ShownLocale[] => {
      const variant = groups[0]?.variant ?? ''
      const locale = groups[0]?.locale ?? defaults.get(variant)
      const fallback = groups.filter((group) => group.locale === null)
      const one = {
        fallback: sum(fallback, sumOf),
        missing: sum(
          fallback.filter(({ speaks }) => speaks),
          sumOf,
        ),
      }
      const byPlatform = countsOf(groups)
      return locale === undefined || sumOf(byPlatform) === 0 ? [] : [{ variant, locale, byPlatform, ...one }]
    })
    .toSorted((one, other) => sumOf(other.byPlatform) - sumOf(one.byPlatform))
}

/**
 * Gives the interval that holds the true number 95 times in a hundred, each block read with the probability `fraction` (variance of the
 * Horvitz-Thompson estimate, independent draws). It never begins below the counted number.
 */
function intervalOf(seen: readonly number[], fraction: number): [low: number, high: number] {
  const estimate = seen.reduce((sum, count) => sum + count, 0) / fraction
  const squares = seen.reduce((sum, count) => sum + count * count, 0)
  const reach = 1.96 * Math.sqrt(((1 - fraction) / fraction ** 2) * squares)
  return [Math.max(Math.round(estimate - reach), Math.round(estimate * fraction)), Math.round(estimate + reach)]
}

/** Gives the reason why a device would not be sent to, and checks in the same order as a send; null when the device would be sent to. */
export function whySampleSkipped(
  { silent, experiment, remainder }: Pick<FrozenSend, 'silent' | 'experiment' | 'remainder'>,
  device: {
    platform: Platform
    reach: 0 | 1 | 2 | null
    variant: string | null
    held: boolean
    expired: boolean
    outside: boolean
    quiet: boolean
    capped: boolean
  },
): SampleSkip | null {
  if (device.reach === null) return 'not_in_target'
  if (device.reach > 0) return device.reach === 2 ? 'invalidated' : 'opted_out'
  if ((experiment || remainder) && device.variant === null) return 'not_in_experiment'
  if (device.held) return 'holdout'
  if (device.expired) return 'expired'
  if (silent) return device.platform === 'web' ? 'silent_web' : null
  if (device.outside) return 'unsubscribed'
  if (device.quiet) return 'quiet_hours'
  return device.capped ? 'frequency_cap' : null
}
