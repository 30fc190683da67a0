import type { EngagementKind } from './event.ts'
import type { OutcomeKind } from './outcome.ts'
import type { Platform } from './platform.ts'
import type { Stats } from './stats.ts'

/** What is counted over time (spec: administration/series). `converted`: conversions that are attributed to a push. */
export type Counted = Omit<Stats, 'variants' | 'conversions'> & { converted: number }

export const seriesBuckets = ['hour', 'day'] as const
export type SeriesBucket = (typeof seriesBuckets)[number]

/** The counters of one hour or day. `at`: when it begins, in UTC. `platform` is set when the series was asked for by platform. */
export type SeriesPoint = { at: string; platform?: Platform } & Counted
/** How many pushes failed or were skipped with a code. */
export type CodeCount = { platform: Platform; outcome: OutcomeKind; code: string; count: number }
/**
 * A series of counters, with a point for each hour or day or, by platform, for each hour or day and platform. `codes` has only codes that occurred.
 */
export type Series = { points: SeriesPoint[]; codes?: (CodeCount & { at: string })[] }

/** An app's counters of the last hours and days. `last24h`: the present hour and the 23 hours before it. `previous24h`: the 24 hours before those. */
export type RecentCounts = {
  /** When the counters were read, by the database's clock. */
  asOf: string
  last24h: Counted
  previous24h: Counted
  /** How pushes of `last24h` ended, by platform. */
  byPlatform: Record<Platform, Record<OutcomeKind, number>>
  /** The last 30 UTC days, of which the last is today. */
  days: SeriesPoint[]
}

/**
 * What devices reported since `startedAt`, up to the last report, in steps of a minute in the first hour, 10 minutes in the first day, then an hour.
 * `kept` is false for a notification of at most 1,000 pushes.
 */
export type Curve = {
  /** Null before the fan-out has reported, or when the counters are older than their retention. */
  startedAt: string | null
  kept: boolean
  points: ({ afterSeconds: number; converted: number } & Record<EngagementKind, number>)[]
}

/**
 * A campaign's counters by platform, code, variant and clicked action. `open`: pushes without an outcome. `codes`, and each platform's outcomes, are
 * null when not all codes are known: older than this counting, or small and past retention.
 */
export type Breakdown = {
  byPlatform: Record<Platform, { queued: number; open: number } & Record<OutcomeKind, number | null>>
  codes: CodeCount[] | null
  variants: NonNullable<Stats['variants']>
  actions: { action: string; clicked: number }[]
}

/**
 * How many devices an app has on one platform, each counted once. A device that is both invalidated and opted out counts as invalidated. `active7d`:
 * how many of all were last active within 7 days.
 */
export type DeviceCount = {
  total: number
  reachable: number
  optedOut: number
  invalidated: number
  active1d: number
  active7d: number
  active30d: number
}
export type DeviceCounts = { asOf: string; devices: Record<Platform, DeviceCount> }

/** The devices of an app at the end of a UTC day, counted at `takenAt`. `new`: devices that were made on that day and still exist. */
export type DeviceDay = { at: string; platform: Platform; takenAt: string; new: number } & DeviceCount

/** The id and name of a campaign in the overview. */
export type CampaignNote = { campaignId: string; name: string }
export type CampaignsSummary = {
  /**
   * How many campaigns have each status, without notifications; a status without campaigns is left out. At most 100,000 are counted, status after
   * status, so the last ones of a larger app are too small or missing.
   */
  byStatus: Record<string, number>
  /** The campaigns that begin next by their schedules, soonest first. */
  next: (CampaignNote & { at: string; schedule: string })[]
  /** Paused campaigns; the campaign that has been paused longest comes first. */
  paused: (CampaignNote & { since: string })[]
  /** Campaigns that failed within 7 days, newest first. */
  failed: (CampaignNote & { at: string; code: string })[]
}
