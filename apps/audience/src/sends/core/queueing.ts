import type { FrequencyCap, QuietHours } from '@herald/contracts/administration'
import type { AppSettings } from '@herald/contracts/app'
import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenCategory } from '@herald/contracts/category'
import { isHeldOut, type Holdout } from '@herald/contracts/holdout'
import { isInSample } from '@herald/contracts/experiment'
import { firstReason, type SkipReason } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'
import { quietUntil } from '@herald/contracts/quiet-hours'
import { zoneOf } from './waves.ts'

/**
 * The delivery rules that a send obeys. A rule is null when the app or the send does not have it, or the send is exempt from it (spec: sending/bypass,
 * sending/silent-exempt, categories/exempt).
 */
export type DeliveryRules = {
  frequencyCap: FrequencyCap | null
  holdFor: QuietHours | null
  skipIn: QuietHours | null
  holdout: Holdout | null
  /** The category that people may be outside of. */
  category: FrozenCategory | null
}

/**
 * Gives the delivery rules of a send. Silent pushes disturb nobody, an operator waits for a test, Live Activities and recalls correct what is
 * shown: all are exempt from the cap, quiet hours and categories. Only campaigns have a hold-out.
 */
export function rulesFor(
  {
    silent,
    bypass,
    test,
    recall,
    transactional,
    category,
    activity,
  }: Pick<FrozenSend, 'silent' | 'bypass' | 'test' | 'recall' | 'transactional' | 'category' | 'activity'>,
  { frequencyCap, quietHours, holdout }: Pick<AppSettings, 'frequencyCap' | 'quietHours'> & Partial<Pick<AppSettings, 'holdout'>>,
): DeliveryRules {
  const isExempt = silent || test === true || recall !== undefined || activity !== undefined
  const quiet = isExempt || bypass.quietHours ? null : quietHours
  return {
    frequencyCap: isExempt || bypass.frequencyCap ? null : frequencyCap,
    holdFor: quiet?.action === 'hold' ? quiet : null,
    skipIn: quiet?.action === 'skip' ? quiet : null,
    holdout: isExempt || transactional || bypass.holdout ? null : (holdout ?? null),
    category: categoryObeyed({ silent, test, recall, category }),
  }
}

type Obeying = {
  silent?: boolean
  test?: true | undefined
  recall?: FrozenSend['recall']
  category?: FrozenCategory | null | undefined
}

/** Gives the category that a send obeys; null for silent sends, tests, recalls, and a category that nobody can leave. */
export const categoryObeyed = ({ silent, test, recall, category }: Obeying): FrozenCategory | null =>
  silent || test || recall || !category || category.locked ? null : category

/**
 * A device of a page that the send means. `zone`: its user's time zone; null when there is none, or it was not read. `isOutside`: the user is not in
 * the category. `isOptedOut`: only the inbox reaches it.
 */
export type PageDevice = {
  id: string
  userId: string
  platform: Platform
  zone: string | null
  isOutside?: boolean
  isOptedOut?: boolean
}

/** A push to queue. `skip`: the reason for which it is skipped at once, or null. A skipped push is counted like any other. */
export type Queued = { subscriptionId: string; userId: string; platform: Platform; skip: SkipReason | null }

/** Whether a send goes to a user. An experiment goes to its sample, and the winner's follow-up to all users outside the sample. */
export const isMeant = ({ campaignId, experiment, remainder }: FrozenSend, userId: string): boolean =>
  (!experiment || isInSample(experiment.sampleRate, campaignId, userId)) &&
  (!remainder || !isInSample(remainder.sampleRate, remainder.of, userId))

/** What decides whether a page's pushes are skipped. `expired`: the date and time of the send had passed in the zones of the page's wave. */
export type SkipFacts = {
  appId: string
  silent: boolean
  holdout: Holdout | null
  skipIn: QuietHours | null
  defaultTimezone: string
  at: Date
  expired: boolean
}

/** Gives a function that says whether it is quiet in a user's time zone at an instant. Each zone is computed once. */
export function quietAt({
  skipIn,
  defaultTimezone,
  at,
}: Pick<SkipFacts, 'skipIn' | 'defaultTimezone' | 'at'>): (zone: string | null) => boolean {
  return skipIn ? once((zone) => quietUntil(skipIn, zoneOf(zone, defaultTimezone), at) !== undefined) : () => false
}

function once<Key>(compute: (key: Key) => boolean): (key: Key) => boolean {
  const known = new Map<Key, boolean>()
  return (key) => {
    const value = known.get(key) ?? compute(key)
    known.set(key, value)
    return value
  }
}

/**
 * Gives a function that says why a device is skipped at once; null when it is not. A browser must show something for every push, so silent pushes to
 * browsers are skipped.
 */
export function skipRule({ appId, silent, holdout, expired, ...quiet }: SkipFacts): (device: PageDevice) => SkipReason | null {
  const isQuiet = quietAt(quiet)
  const isHeld = holdout ? once<string>((userId) => isHeldOut(appId, holdout, userId)) : () => false
  return ({ userId, platform, zone, isOutside, isOptedOut }) =>
    firstReason({
      holdout: isHeld(userId),
      unsubscribed: isOutside,
      opted_out: isOptedOut,
      expired,
      silent_web: silent && platform === 'web',
      quiet_hours: isQuiet(zone),
    })
}

/** Makes a push for each device, with the reason when it is skipped at once. */
export function queue(devices: readonly PageDevice[], facts: SkipFacts): Queued[] {
  const whySkipped = skipRule(facts)
  return devices.map((device) => ({
    subscriptionId: device.id,
    userId: device.userId,
    platform: device.platform,
    skip: whySkipped(device),
  }))
}
