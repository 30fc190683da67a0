/** The platforms that a device can have (spec: identity/device-fields). Tables and reports list them in this order. */
export const platforms = ['ios', 'android', 'web'] as const
export type Platform = (typeof platforms)[number]

/** The names of the platforms as people read them. */
export const platformNames: Readonly<Record<Platform, string>> = { ios: 'iOS', android: 'Android', web: 'Web' }

/** Makes one value for each platform. */
export const perPlatform = <Value>(make: (platform: Platform) => Value) =>
  Object.fromEntries(platforms.map((platform) => [platform, make(platform)])) as Record<Platform, Value>

/** The names of columns that count by platform: `queued_ios` and so on, in the order of `platforms`. */
export const platformColumns = <const Prefix extends string>(prefix: Prefix): `${Prefix}_${Platform}`[] =>
  platforms.map((platform) => `${prefix}_${platform}` as const)

/** Adds up a count of each platform. */
export const sumOf = (counts: Readonly<Record<Platform, number>>): number => platforms.reduce((sum, platform) => sum + counts[platform], 0)

/**
 * The two lanes of each platform, so that a send to a million devices does not delay a small one. `prompt` takes sends whose first page is their last
 * and that reach at most 1,000 devices; `bulk` takes all others (spec: sending/lanes).
 */
export const lanes = ['prompt', 'bulk'] as const
export type Lane = (typeof lanes)[number]
