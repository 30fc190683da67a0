import type { EngagementKind } from './event.ts'
import type { OutcomeKind } from './outcome.ts'
import type { Platform } from './platform.ts'
import type { Stats } from './stats.ts'

/** What is counted over time (spec: administration/series). `converted` is 0: conversions are not counted yet. */
export type Counted = Omit<Stats, 'variants'> & { converted: number }

export const seriesBuckets = ['hour', 'day'] as const
export type SeriesBucket = (typeof seriesBuckets)[number]

/** `at`: when the bucket begins, in UTC. `platform` is there when the series was asked for by platform. */
export type SeriesPoint = { at: string; platform?: Platform } & Counted
/** Pushes that failed or were skipped with a code. */
export type CodeCount = { platform: Platform; outcome: OutcomeKind; code: string; count: number }
/** Every bucket has its point. `codes` has only the codes that occurred. */
export type Series = { points: SeriesPoint[]; codes?: (CodeCount & { at: string })[] }

/** The last hours and days of an app. `last24h`: the present hour and the 23 before it, `previous24h` the 24 hours before these. */
export type RecentCounts = {
  /** By the database's clock. */
  asOf: string
  last24h: Counted
  previous24h: Counted
  /** How pushes of `last24h` ended, by platform. */
  byPlatform: Record<Platform, Record<OutcomeKind, number>>
  /** The last 30 UTC days, today the last of them. */
  days: SeriesPoint[]
}

/**
 * The reports of devices about a campaign, by the time since its first push was queued. A step is 10 minutes during the first day, then an hour; a point counts
 * the reports of its step, which begins at `afterSeconds`. Steps without reports are there too, up to the last step with a report. `kept` is false for a send of at most
 * 1,000 pushes, which has no curve.
 */
export type Curve = {
  /** Null when nothing was queued yet. */
  startedAt: string | null
  kept: boolean
  points: ({ afterSeconds: number; converted: number } & Record<EngagementKind, number>)[]
}

/**
 * A campaign's counters by platform, code and variant. `open`: pushes without an outcome yet. `codes` is null when not all codes are known, because the
 * campaign began before codes were counted, or is small and past the ledger's retention; then `sent`, `failed` and `skipped` of a platform are null too.
 */
export type Breakdown = {
  byPlatform: Record<Platform, { queued: number; open: number } & Record<OutcomeKind, number | null>>
  codes: CodeCount[] | null
  variants: NonNullable<Stats['variants']>
}

/** Devices of an app on one platform. Each device is reachable, opted out or invalidated; an invalidated one may be opted out too. Active devices are counted by their last activity. */
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

/** The devices of an app at the end of a UTC day, counted at `takenAt`. `new`: devices made on that day that are still there. */
export type DeviceDay = { at: string; platform: Platform; takenAt: string; new: number } & DeviceCount

/** A campaign as the overview names it. */
export type CampaignNote = { campaignId: string; name: string }
export type CampaignsSummary = {
  /** Campaigns by status, without notifications. Of more than 100,000 campaigns only the first ones that are found are counted. */
  byStatus: Record<string, number>
  /** The campaigns that begin next by themselves, soonest first. */
  next: (CampaignNote & { at: string; schedule: string })[]
  /** Paused campaigns, the one paused longest first. */
  paused: (CampaignNote & { since: string })[]
  /** Campaigns that failed within 7 days, newest first. */
  failed: (CampaignNote & { at: string; code: string })[]
}
