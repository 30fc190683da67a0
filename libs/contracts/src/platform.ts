/** The platforms that a device can have (spec: identity/device-fields). Tables and reports list them in this order. */
export const platforms = ['ios', 'android', 'web'] as const
export type Platform = (typeof platforms)[number]

/** The names of the platforms as people read them. */
export const platformNames: Readonly<Record<Platform, string>> = { ios: 'iOS', android: 'Android', web: 'Web' }

export const perPlatform = <Value>(make: (platform: Platform) => Value) =>
  Object.fromEntries(platforms.map((platform) => [platform, make(platform)])) as Record<Platform, Value>

/**
 * Gives the names of three columns, one for each platform and in the order of `platforms`: for the prefix `queued` they are `queued_ios`,
 * `queued_android` and `queued_web`.
 */
export const platformColumns = <const Prefix extends string>(prefix: Prefix): `${Prefix}_${Platform}`[] =>
  platforms.map((platform) => `${prefix}_${platform}` as const)

/** Adds up a count of each platform. */
export const sumOf = (counts: Readonly<Record<Platform, number>>): number => platforms.reduce((sum, platform) => sum + counts[platform], 0)

/**
 * The two lanes of each platform (spec: sending/lanes), so that a large send does not delay a small one. A send of one page and at most 1,000 devices
 * goes on `prompt`, every other on `bulk`.
 */
export const lanes = ['prompt', 'bulk'] as const
export type Lane = (typeof lanes)[number]
