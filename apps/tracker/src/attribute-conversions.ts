import type { ToldConversion } from '@herald/contracts/calls/tracker'
import type { Attribution } from '@herald/contracts/conversion'
import { causeOf, type Cause, type SeenPush } from './core/attribution.ts'
import {
  findLargeCampaigns,
  findLargePushes,
  findSmallPushes,
  findTouches,
  type LargeCampaign,
  type Pair,
  type PushOfPair,
  type Touch,
} from './store/attribution.ts'
import { findKept } from './store/counters.ts'
import type { Ledger, Tracker } from './tracker.ts'

/**
 * Pushes of campaigns are looked at that began this much before a window: a push lives at most 28 days at a provider, and the waves of a send take at
 * most two days.
 */
const pushLivesDays = 30
const hourMs = 3_600_000
const dayMs = 24 * hourMs

type Asked = { appId: string; attribution: Attribution; conversions: ToldConversion[]; now: Date }
/** A conversion with the indexes of its pairs of user and device. */
type Open = { index: number; at: number; pairs: number[] }

/**
 * Finds, for each conversion, the push that led to it: the one that it names, else by the last touch (spec: conversions/attribution). Pushes are found
 * by the user's devices, and count only where they were sent to this user.
 */
export async function attributeConversions(
  { db, retentionDays }: Ledger,
  { appId, attribution, conversions, now }: Asked,
): Promise<(Cause | undefined)[]> {
  const causes: (Cause | undefined)[] = await namedPushes({ db, retentionDays }, { appId, conversions })
  const { pairs, open } = pairsOf(conversions, causes)
  if (pairs.length === 0) return causes

  const windowHours = Math.max(attribution.directHours, attribution.influencedHours)
  const first = Math.min(...open.map(({ at }) => at)) - windowHours * hourMs - pushLivesDays * dayMs
  const since = dayOf(Math.max(first, now.getTime() - retentionDays * dayMs))
  const large = await findLargeCampaigns(db, { appId, since, pairs: pairs.length })
  const small = await findSmallPushes(db, { appId, pairs, since })
  const opened = await openedPushes({ db }, { pairs, open, large, directHours: attribution.directHours })
  const touched = await realPushes({ db, retentionDays }, appId, [...small, ...opened])
  for (const one of open) causes[one.index] = causeOf(ofPairs(touched, one), one.at, { ...attribution, influencedHours: 0 })

  const left = open.filter(({ index }) => causes[index] === undefined)
  if (left.length === 0 || attribution.influencedHours === 0) return causes
  const asked = left.flatMap(({ at, pairs: mine }) =>
    large
      .filter(({ endedAt }) => endedAt === null || endedAt >= at - attribution.influencedHours * hourMs)
      .flatMap((campaign) => mine.map((pair) => ({ pair, campaignId: campaign.campaignId, day: campaign.day }))),
  )
  const sent = await realPushes({ db, retentionDays }, appId, await findLargePushes(db, pairs, distinct(asked)))
  for (const one of left) causes[one.index] = causeOf(ofPairs([...touched, ...sent], one), one.at, attribution)
  return causes
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const ofPairs = (pushes: PushOfPair[], { pairs }: Open): SeenPush[] => pushes.filter(({ pair }) => pairs.includes(pair))

/** Gives the pushes that conversions name themselves. One that was sent to another user, or is a test, or of a campaign not kept, is no cause. */
async function namedPushes(
  { db, retentionDays }: Ledger,
  { appId, conversions }: { appId: string; conversions: ToldConversion[] },
): Promise<(Cause | undefined)[]> {
  const named = conversions.map(({ push, userId }) => (push?.userId === userId ? push : null))
  const kept = await keptCampaigns(
    { db, retentionDays },
    appId,
    named.flatMap((push) => push?.campaignId ?? []),
  )
  return named.map((push) => {
    const campaign = push && kept.get(push.campaignId)
    if (!push || !campaign) return undefined
    return { push: { ...push, day: campaign.day, touchedAt: [], sentAt: null, silent: campaign.silent }, how: 'direct' }
  })
}

/** Gives each user with each device once, and the conversions that still have no cause. */
function pairsOf(conversions: ToldConversion[], causes: (Cause | undefined)[]): { pairs: Pair[]; open: Open[] } {
  const places = new Map<string, number>()
  const pairs: Pair[] = []
  const open: Open[] = []
  conversions.forEach(({ userId, subscriptionIds, at }, index) => {
    if (causes[index]) return
    const mine = subscriptionIds.map((subscriptionId) => {
      const key = userId + subscriptionId
      const known = places.get(key)
      if (known !== undefined) return known
      places.set(key, pairs.length)
      return pairs.push({ userId, subscriptionId }) - 1
    })
    open.push({ index, at: Date.parse(at), pairs: mine })
  })
  return { pairs, open }
}

/** Gives the pushes of large campaigns that these users opened or clicked within the window of one of their conversions. */
async function openedPushes(
  { db }: Pick<Tracker, 'db'>,
  { pairs, open, large, directHours }: { pairs: Pair[]; open: Open[]; large: LargeCampaign[]; directHours: number },
): Promise<PushOfPair[]> {
  const touches = await findTouches(
    db,
    pairs,
    large.filter(({ isTouched }) => isTouched),
  )
  const near = touches.filter((touch) =>
    open.some(({ at, pairs: mine }) => mine.includes(touch.pair) && touch.at <= at && touch.at >= at - directHours * hourMs),
  )
  const pushes = await findLargePushes(db, pairs, distinct(near))
  return pushes.map((push) => {
    const mine = near.filter(({ pair, campaignId }) => pair === push.pair && campaignId === push.campaignId)
    return { ...push, variant: mine[0]?.variant ?? push.variant, touchedAt: mine.map(({ at }) => at) }
  })
}

const distinct = <Push extends Pick<Touch, 'pair' | 'campaignId' | 'day'>>(pushes: Push[]): Push[] => [
  ...new Map(pushes.map((push) => [`${push.pair} ${push.campaignId}`, push])).values(),
]

/** Leaves out pushes of tests and of campaigns that the ledger does not keep, and says which are silent. */
async function realPushes(ledger: Ledger, appId: string, pushes: PushOfPair[]): Promise<PushOfPair[]> {
  const kept = await keptCampaigns(
    ledger,
    appId,
    pushes.map(({ campaignId }) => campaignId),
  )
  return pushes.flatMap((push) => {
    const campaign = kept.get(push.campaignId)
    return campaign ? [{ ...push, silent: campaign.silent }] : []
  })
}

/** Finds an app's campaigns that the ledger keeps and that are no tests, by id. */
async function keptCampaigns({ db, retentionDays }: Ledger, appId: string, campaignIds: string[]) {
  if (campaignIds.length === 0) return new Map<string, never>()
  const kept = await findKept(db, [...new Set(campaignIds)], retentionDays)
  return new Map(kept.filter((one) => one.appId === appId && !one.test).map((one) => [one.campaignId, one]))
}
