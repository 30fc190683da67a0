import type { AppSettings } from '@herald/contracts/app'
import { smallBatch, type FrozenSend, type GivenBatch } from '@herald/contracts/batch'
import type { FrozenSmallSend } from '@herald/contracts/calls/audience'
import { queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { group } from '@herald/service/group'
import { failsEverybody } from '@herald/service/health'
import type { Audience } from '../audience.ts'
import { countByPlatform, cutIntoBatches } from './core/batching.ts'
import { rulesFor, type DeliveryRules } from './core/delivery-rules.ts'
import { isMeant, queue } from './core/queueing.ts'
import { isAway } from './page-failure.ts'
import { pointAtSends } from '../delivery/point.ts'
import { findFew, insertSmallSends } from './store/small-sends.ts'
import type { BatchPointerRow, MadeBatch } from '../delivery/store/batches.ts'
import type { FanOut } from '../store/tables.ts'
import type { Taker, Takers } from '../delivery/takers.ts'

/** A small send with what decides about it: it goes to all that it names, at once. */
type Ready = FrozenSmallSend & { settings: AppSettings; rules: DeliveryRules }
/** A batch that its taker has from the commit that made it, and who that is. */
export type Given = { batch: GivenBatch; taker: Taker; share: Share }
/** What of a taker's answer is still to come: it hears of all that one commit gave it at once. */
type Share = { open: number; batches: GivenBatch[] }
/** Its row, the batches that were made, those that somebody has already and those to point at; `known`: there is a row already, or its app is gone; `many`: it reaches more than a few devices. */
export type Begun = { row: FanOut; send: FrozenSend; made: MadeBatch[]; given: Given[]; batches: BatchPointerRow[] }
type Beginning = Begun | 'known' | 'many'

/** Sends begun in one transaction. */
const atOnce = 50
const sharing = { maxWaiting: 2_000, full: queueUnavailable, isShared: failsEverybody }

/**
 * Begins small sends that campaigns hands over, all that are ready in one transaction and by turns of apps: whom they mean, their rows and
 * their batches are two statements, whatever their number. Resolves when they have their rows; what follows goes on by itself (`goOn`), and
 * the sweep repairs it. A send that needs more than that (waves, a frequency cap, a winner's remainder, more devices), or that fails, is
 * pointed at and goes the way of all others (`fanOut`), so that it delays none of its company. A dispatcher that waits (`takers`) has the batches from
 * that commit on.
 */
export function openStarting(
  audience: Audience,
  goOn: (begun: Begun) => void,
  takers: Pick<Takers, 'next'> = { next: () => undefined },
): (sends: FrozenSmallSend[]) => Promise<void> {
  const begin = group((sends: Ready[]) => beginTogether(audience, sends, takers.next()), {
    ...sharing,
    limit: atOnce,
    turn: ({ send }) => send.appId,
  })
  const start = async (small: FrozenSmallSend): Promise<void> => {
    const ready = await prepare(audience, small)
    const begun = ready && (await begin(ready).catch((error: unknown) => leave(audience, small, error)))
    if (typeof begun === 'object') goOn(begun)
    else await pointAtSends(audience, [small.send])
  }
  return async (sends) => {
    // Each for itself: the first that fails is answered when all others have their rows.
    const started = await Promise.allSettled(sends.map(start))
    const failed = started.find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
  }
}

/** Undefined: it takes the way of all others. The app's settings are read now and frozen. */
async function prepare({ settingsOf }: Audience, small: FrozenSmallSend): Promise<Ready | undefined> {
  const { send } = small
  const settings = await settingsOf(send.appId)
  if (!settings || send.userTimezone || send.remainder) return undefined
  const rules = rulesFor(send, settings)
  return rules.holdFor || rules.frequencyCap ? undefined : { ...small, settings, rules }
}

function leave({ log }: Audience, { send: { campaignId, appId } }: FrozenSmallSend, error: unknown): undefined {
  if (isAway(error)) throw error
  log.warn({ campaignId, appId, err: error }, 'a send could not be begun with others, it is begun alone')
}

async function beginTogether(audience: Audience, sends: Ready[], taker: Taker | undefined): Promise<Beginning[]> {
  const share: Share = { open: 0, batches: [] }
  try {
    return await beginAll(audience, sends, taker, share)
  } finally {
    if (share.open === 0) taker?.answer([])
  }
}

async function beginAll({ db, ...audience }: Audience, sends: Ready[], taker: Taker | undefined, share: Share): Promise<Beginning[]> {
  // A send that is handed over twice may be in one group.
  const distinct = [...new Map(sends.map((one) => [one.send.campaignId, one])).values()]
  const asked = distinct.map(({ send, target, rules }) => ({ appId: send.appId, target, withZones: rules.skipIn !== null }))
  const few = await findFew(db, asked)
  const chosen = distinct.flatMap(({ send, settings, rules }, index) => {
    const devices = few.devices[index] ?? []
    if (devices === 'many') return []
    const meant = devices.filter(({ userId }) => isMeant(send, userId))
    const quiet = { skipIn: rules.skipIn, defaultTimezone: settings.defaultTimezone, at: few.startedAt }
    const pushes = queue(meant, send.silent, quiet)
    return {
      campaign_id: send.campaignId,
      app_id: send.appId,
      // All that is needed of the settings from here on is the zone. Quiet hours that decided are kept, to be explained.
      send: { ...send, defaultTimezone: settings.defaultTimezone },
      settings: rules.skipIn ? settings : null,
      counts: countByPlatform(pushes),
      batches: cutIntoBatches(pushes).map((batch, index) => ({
        ...batch,
        id: newId(),
        no: index + 1,
        hasTaker: batch.subscriptionIds.length <= smallBatch && taker?.reserve(send.appId, batch.platform) === true,
      })),
    }
  })
  const made = await insertSmallSends(db, few.exactStart, chosen)
  const batchesOf = new Map(chosen.map(({ campaign_id, batches }) => [campaign_id, batches]))
  return sends.map(({ send }) => {
    const { campaignId, appId } = send
    const batches = batchesOf.get(campaignId)
    if (!batches) return 'many'
    const one = made.get(campaignId)
    if (!one) return 'known'
    made.delete(campaignId)
    if (one.pointedAt.size + one.taken.size < batches.length) audience.haveWaiting()
    const pointers = batches.flatMap(({ id, platform, subscriptionIds }): BatchPointerRow[] =>
      one.pointedAt.has(id)
        ? [{ batchId: id, campaignId, appId, platform, lane: 'prompt', pointerNo: 0, size: subscriptionIds.length }]
        : [],
    )
    const given = batches.flatMap(({ id, platform, subscriptionIds }): Given[] =>
      taker && one.taken.has(id)
        ? [{ batch: { batchId: id, campaignId, appId, platform, lane: 'prompt', takes: 1, size: subscriptionIds.length }, taker, share }]
        : [],
    )
    share.open += given.length
    return { row: one.row, send, made: batches, given, batches: pointers }
  })
}
