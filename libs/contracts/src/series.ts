import type { EngagementKind } from './event.ts'
import type { OutcomeKind } from './outcome.ts'
import type { Platform } from './platform.ts'
import type { Stats } from './stats.ts'

/** What is counted over time (spec: administration/series). `converted` is 0: conversions are not counted yet. */
export type Counted = Omit<Stats, 'variants'> & { converted: number }

export const seriesBuckets = ['hour', 'day'] as const
export type SeriesBucket = (typeof seriesBuckets)[number]

/** `at`: when the bucket begins, in UTC. `platform`: asked for by platform. */
export type SeriesPoint = { at: string; platform?: Platform } & Counted
/** Pushes that failed or were skipped with a code. */
export type CodeCount = { platform: Platform; outcome: OutcomeKind; code: string; count: number }
/** Every bucket has its point, and only codes that were met are in `codes`. */
export type Series = { points: SeriesPoint[]; codes?: (CodeCount & { at: string })[] }

/** The last hours and days of an app. `last24h`: the present hour and the 23 before it, `previous24h` the 24 hours before these. */
export type RecentCounts = {
  /** By the database's clock. */
  asOf: string
  last24h: Counted
  previous24h: Counted
  /** Of `last24h`, how pushes ended by platform. */
  byPlatform: Record<Platform, Record<OutcomeKind, number>>
  /** The last 30 UTC days, today the last of them. */
  days: SeriesPoint[]
}

/**
 * When devices reported of a campaign, by the time since its first push was queued. A step is 10 minutes for a day, then an hour; a point counts what came
 * within its step, from `afterSeconds` on. No step is left out before the last one that has something. `kept` is false for a send of at most 1,000 pushes, which has no curve.
 */
export type Curve = {
  /** Null: nothing was queued yet. */
  startedAt: string | null
  kept: boolean
  points: ({ afterSeconds: number; converted: number } & Record<EngagementKind, number>)[]
}

/**
 * A campaign's counters by platform, code and variant. `open`: pushes without an outcome yet. `codes` is null where not all of them are known: the
 * campaign began before codes were counted, or is small and past the ledger's retention; then `sent`, `failed` and `skipped` of a platform are null too.
 */
export type Breakdown = {
  byPlatform: Record<Platform, { queued: number; open: number } & Record<OutcomeKind, number | null>>
  codes: CodeCount[] | null
  variants: NonNullable<Stats['variants']>
}

/** Devices of an app on one platform: each is either reachable, opted out or invalidated (opted out or not). Active: by their last activity. */
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

/** The devices of an app at the end of a UTC day, as they were found at `takenAt`. `new`: made on that day, and still there. */
export type DeviceDay = { at: string; platform: Platform; takenAt: string; new: number } & DeviceCount

/** A campaign as the overview names it. */
export type CampaignNote = { campaignId: string; name: string }
export type CampaignsSummary = {
  /** Campaigns of people by status (not notifications); of an app with more than 100,000 the first that are met. */
  byStatus: Record<string, number>
  /** The next that begin by themselves, soonest first. */
  next: (CampaignNote & { at: string; schedule: string })[]
  /** Paused, longest first. */
  paused: (CampaignNote & { since: string })[]
  /** Failed within 7 days, newest first. */
  failed: (CampaignNote & { at: string; code: string })[]
}
