/** The platforms a device can be of (spec: identity/device-fields). The order is the order of every table and report. */
export const platforms = ['ios', 'android', 'web'] as const
export type Platform = (typeof platforms)[number]

/** Makes one value for each platform. */
export const perPlatform = <Value>(make: (platform: Platform) => Value) =>
  Object.fromEntries(platforms.map((platform) => [platform, make(platform)])) as Record<Platform, Value>

/** Adds up a count of each platform. */
export const sumOf = (counts: Readonly<Record<Platform, number>>): number => platforms.reduce((sum, platform) => sum + counts[platform], 0)

/**
 * Each platform has two lanes, so that a million-device send delays nobody: `prompt` takes sends whose first page is
 * their last (≤1,000 devices), `bulk` everything else (spec: sending/lanes).
 */
export const lanes = ['prompt', 'bulk'] as const
export type Lane = (typeof lanes)[number]
