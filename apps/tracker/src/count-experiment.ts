import type { Experiment } from '@herald/contracts/campaign'
import { variantOf } from '@herald/contracts/experiment'
import type { CountedBy, CountedExperiment, CountedUplift } from '@herald/contracts/experiment-report'
import { invalidField } from '@herald/contracts/fault'
import { readEnds, slotAt } from './core/slots.ts'
import {
  findAppRate,
  findCampaignsBetween,
  findConvertedUsers,
  findConverting,
  findKeptCampaign,
  findReporting,
  wholeRowsOf,
  type KeptCampaign,
} from './store/experiments.ts'
import { inOneSnapshot } from './store/recount.ts'
import { databaseNow } from './store/series.ts'
import type { Db } from './store/tables.ts'
import type { Ledger } from './tracker.ts'

/** Users are counted in parts of about this many, so that memory holds one part: ~100 bytes a user. Each part reads the ledger anew. */
const usersAtOnce = 2_000_000
/** A count of the hold-out reads at most this many pushes, ~1 µs each. */
const mostPushes = 20_000_000
const keptMs = 60_000

/** Gives the function that counts the users of an experiment, at most once a minute for each question. */
export function openExperimentCounts(): (ledger: Ledger, asked: CountedBy) => Promise<CountedExperiment | null> {
  const kept = new Map<string, { at: number; counted: CountedExperiment }>()
  return async (ledger, asked) => {
    const now = performance.now()
    for (const [key, { at }] of kept) if (now - at > keptMs) kept.delete(key)
    const key = JSON.stringify(asked)
    const known = kept.get(key)
    if (known) return known.counted
    const counted = await countExperiment(ledger, asked)
    if (counted) kept.set(key, { at: now, counted })
    return counted
  }
}

/** Counts the users of an experiment by variant (spec: experiments/report). The unit is the user: two devices are not two opinions. */
export const countExperiment = ({ db, retentionDays }: Ledger, asked: CountedBy): Promise<CountedExperiment | null> =>
  inOneSnapshot(db, async (snapshot) => {
    const { appId, campaignId, metric, conversion, variants } = asked
    const campaign = await findKeptCampaign(snapshot, { appId, campaignId, retentionDays })
    if (!campaign) return null
    const { day } = campaign
    const devices =
      metric === 'conversion' ? undefined : await findReporting(snapshot, { day, campaignId, kind: metric === 'open' ? 'o' : 'c' })
    const converted =
      metric === 'conversion' ? await findConvertedUsers(snapshot, { appId, day, campaignId, name: conversion ?? '' }) : undefined
    const counts = variants.map(({ id }) => ({ id, assigned: 0, sent: 0, events: 0 }))
    const places = new Map(variants.map(({ id }, place) => [id, place]))
    for await (const users of partsOf(snapshot, [campaign], (push, { devices: ids, index }) => {
      const hasEvent = devices?.has(ids.toString('latin1', 12 * index, 12 * index + 12)) ?? false
      return (push?.outcome === 'sent' ? isSent : 0) | (hasEvent ? hasHappened : 0)
    })) {
      for (const [user, { bits, variant }] of users) {
        const count = counts[places.get(variant ?? placed(variants, campaignId, user)) ?? -1]
        if (!count) continue
        count.assigned += 1
        if (!(bits & isSent)) continue
        count.sent += 1
        if (bits & hasHappened || converted?.has(user)) count.events += 1
      }
    }
    return {
      asOf: (await databaseNow(snapshot)).toISOString(),
      fannedOut: campaign.fannedOut,
      variants: counts,
      appRate: await findAppRate(snapshot, appId, metric),
    }
  })

const isSent = 1
const hasHappened = 2
const isHeldOut = 4

/** The variant of a user who has no outcome yet follows from the campaign and the user, as in the send. */
const placed = (variants: CountedBy['variants'], campaignId: string, user: string): string =>
  variantOf(variants as Pick<Experiment['variants'][number], 'id' | 'weight'>[], campaignId, Buffer.from(user, 'latin1').toString('hex')).id

type End = ReturnType<typeof readEnds>[number]
type Users = Map<string, { bits: number; variant: string | undefined }>

/**
 * Goes through the users of campaigns in parts, by the last byte of their ids, which is random. `bitsOf` says what a push adds to its user. Users are
 * keyed by their id in latin1.
 */
async function* partsOf(
  db: Db,
  campaigns: KeptCampaign[],
  bitsOf: (end: End | undefined, of: { devices: Buffer; index: number }) => number,
): AsyncGenerator<Users> {
  const pushes = campaigns.reduce((sum, { queued }) => sum + queued, 0)
  const parts = Math.min(256, Math.max(1, Math.ceil(pushes / usersAtOnce)))
  for (let part = 0; part < parts; part += 1) {
    const users: Users = new Map()
    for (const campaign of campaigns) {
      for await (const row of wholeRowsOf(db, campaign)) {
        const ends = readEnds(row)
        for (let index = 0; index < row.size; index += 1) {
          if ((row.users[12 * index + 11] ?? 0) % parts !== part) continue
          const end = ends[slotAt(row, index) - 1]
          const user = row.users.toString('latin1', 12 * index, 12 * index + 12)
          const bits = bitsOf(end, { devices: row.devices, index })
          const known = users.get(user)
          if (known) {
            known.bits |= bits
            known.variant ??= end?.variant || undefined
          } else users.set(user, { bits, variant: end?.variant || undefined })
        }
      }
    }
    yield users
  }
}

type OfUplift = { campaignId: string; windowHours: number } | { from: string; to: string }

/**
 * Counts who was held out and who was meant to get pushes, and who of both converted (spec: experiments/uplift): by intention to treat, so whether a
 * push was sent does not matter. Fault: invalid_body at `from`.
 */
export const countUplift = (
  { db, retentionDays }: Ledger,
  { appId, conversion: name, of }: { appId: string; conversion: string; of: OfUplift },
): Promise<CountedUplift | null> =>
  inOneSnapshot(db, async (snapshot) => {
    const campaigns = await campaignsOf(snapshot, { appId, of, retentionDays })
    if (campaigns.length === 0 && 'campaignId' in of) return null
    if (campaigns.length > 2_000 || campaigns.reduce((sum, { queued }) => sum + queued, 0) > mostPushes)
      throw invalidField('from', `must be later: at most 2,000 campaigns of together ${mostPushes} pushes are counted at once`)
    const now = await databaseNow(snapshot)
    const begins = 'from' in of ? new Date(of.from) : (campaigns[0]?.startedAt ?? now)
    const ends = 'to' in of ? new Date(of.to) : new Date(begins.getTime() + of.windowHours * 3_600_000)
    const converting = await findConverting(snapshot, { appId, name, from: begins, to: ends })
    const counts: CountedUplift = { treated: { users: 0, converted: 0 }, control: { users: 0, converted: 0 }, final: ends < now }
    for await (const users of partsOf(snapshot, campaigns, (end) => (end?.code === 'holdout' ? isHeldOut : 0))) {
      for (const [user, { bits }] of users) {
        const count = bits & isHeldOut ? counts.control : counts.treated
        count.users += 1
        if (converting.has(user)) count.converted += 1
      }
    }
    return counts
  })

async function campaignsOf(
  db: Db,
  { appId, of, retentionDays }: { appId: string; of: OfUplift; retentionDays: number },
): Promise<KeptCampaign[]> {
  if ('from' in of) return findCampaignsBetween(db, { appId, from: of.from, to: of.to, retentionDays })
  const campaign = await findKeptCampaign(db, { appId, campaignId: of.campaignId, retentionDays })
  return campaign ? [campaign] : []
}
