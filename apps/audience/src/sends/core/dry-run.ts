import type { FrozenSend } from '@herald/contracts/batch'
import type { AudienceDryRun, Estimated, SampleSkip, ShownLocale } from '@herald/contracts/dry-run'
import { firstReason, skipReasons, type SkipReason } from '@herald/contracts/outcome'
import { perPlatform, sumOf, type Platform } from '@herald/contracts/platform'

/**
 * Devices and users that a send would treat in the same way: reachable devices by platform, unreachable ones, and users. `variant` is null outside
 * the experiment's sample, `locale` when the send has no text in the users' language.
 */
export type Group = Record<Platform, number> & {
  wave: number
  /** The reason for which the users' pushes are skipped, as far as it is the users' own; null for none. */
  skip: SkipReason | null
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
/** Devices of one block of the table that a send would treat in the same way. */
export type InBlock = Pick<Group, Platform | 'skip' | 'variant' | 'optedOut'>
type Counted = Pick<
  AudienceDryRun,
  'audience' | 'estimated' | 'unreachable' | 'skips' | 'toSend' | 'waves' | 'experiment' | 'locales' | 'webNeverSeen'
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
  }: { groups: readonly Group[]; blocks: readonly (readonly InBlock[])[]; fraction: number; waves: readonly string[]; expiredWave: number },
): Counted {
  const whole = (devices: number): number => Math.round(devices / fraction)
  const sum = (of: readonly Group[], read: (group: Group) => number): number => whole(of.reduce((total, group) => total + read(group), 0))
  const byPlatform = (of: readonly Group[]) => perPlatform((platform) => sum(of, (group) => group[platform]))
  const sampleSize = blocks.flat().reduce((total, group) => total + sumOf(group), 0)
  const estimate = (read: (block: readonly InBlock[]) => number): Estimated | null =>
    fraction >= 1 ? null : { sampleSize, interval: intervalOf(blocks.map(read), fraction) }

  // No push is queued for users outside the sample of an experiment.
  const queued = groups.filter(({ variant }) => variant !== null)
  const skipped = countSkips(groups, silent, inbox)
  const ofBlocks = new Map(blocks.map((block) => [block, countSkips(block, silent, inbox)]))
  return {
    audience: { users: sum(groups, ({ users }) => users), byPlatform: byPlatform(groups) },
    estimated: estimate((block) => block.reduce((total, group) => total + sumOf(group), 0)),
    unreachable: { optedOut: sum(groups, ({ optedOut }) => optedOut), invalidated: sum(groups, ({ invalidated }) => invalidated) },
    skips: skipReasons.flatMap((reason) => {
      const devices = whole(skipped.get(reason) ?? 0)
      return devices === 0 ? [] : [{ reason, devices, estimated: estimate((block) => ofBlocks.get(block)?.get(reason) ?? 0) }]
    }),
    toSend: sum(
      queued.filter(({ skip }) => skip === null),
      (group) => sumOf(group) - (silent ? group.web : 0),
    ),
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

/** Counts the pushes that are skipped, by reason: those of the users' reasons, and those of browsers and opted-out devices. */
function countSkips(of: readonly InBlock[], silent: boolean, inbox = false): ReadonlyMap<SkipReason, number> {
  const counts = new Map<SkipReason, number>()
  for (const group of of) {
    if (group.variant === null) continue
    for (const [devices, reason] of [
      [sumOf(group) - group.web, whySkipped(group.skip, {})],
      [group.web, whySkipped(group.skip, { silent_web: silent })],
      [inbox ? group.optedOut : 0, whySkipped(group.skip, { opted_out: true })],
    ] as const)
      if (reason !== null && devices > 0) counts.set(reason, (counts.get(reason) ?? 0) + devices)
  }
  return counts
}

const whySkipped = (ofUser: SkipReason | null, ofDevice: { readonly [Reason in SkipReason]?: boolean }): SkipReason | null =>
  firstReason({ ...ofDevice, ...(ofUser && { [ofUser]: true }) })

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

/** Gives the reason why a device would not be sent to; null when it would be. */
export function whySampleSkipped(
  { silent, experiment, remainder, inbox }: Pick<FrozenSend, 'silent' | 'experiment' | 'remainder' | 'inbox'>,
  { platform, reach, variant, skip }: Pick<Described, 'platform' | 'reach' | 'variant' | 'skip'>,
): SampleSkip | null {
  if (reach === null) return 'not_in_target'
  if (reach === 2) return 'invalidated'
  // Only an inbox queues a push for an opted-out device.
  if (reach === 1 && !inbox) return 'opted_out'
  if ((experiment || remainder) && variant === null) return 'not_in_experiment'
  return whySkipped(skip, { opted_out: reach === 1, silent_web: silent && platform === 'web' })
}

/** What a send would do to a single device. */
export type Described = {
  id: string
  userId: string
  platform: Platform
  /** 0 reachable, 1 opted out, 2 invalidated; null when the target does not mean the device. */
  reach: 0 | 1 | 2 | null
  skip: SkipReason | null
  /** Null when the target does not mean the device, or the experiment or the winner's follow-up leaves out its user. */
  variant: string | null
}
