import type { AppSettings } from '@herald/contracts/app'
import { smallBatch, type FrozenSend, type GivenBatch, type TakeAnswer } from '@herald/contracts/batch'
import type { FrozenSmallSend } from '@herald/contracts/calls/audience'
import { queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { group } from '@herald/service/group'
import { failsEverybody } from '@herald/service/health'
import type { Audience } from '../audience.ts'
import type { Granted } from '../delivery/take-batch.ts'
import type { Taker, Takers } from '../delivery/takers.ts'
import { pointAtSends } from '../point.ts'
import type { BatchPointerRow } from '../store/due.ts'
import { countByPlatform, cutIntoBatches } from './core/batching.ts'
import { isMeant, queue, rulesFor, type DeliveryRules } from './core/queueing.ts'
import { isAway } from './page-failure.ts'
import type { FanOut } from './store/fan-outs.ts'
import type { MadeBatch } from './store/made-batches.ts'
import { findFew, insertSmallSends } from './store/small-sends.ts'

/** A small send, with the app's settings and the delivery rules that the send obeys. */
type Ready = FrozenSmallSend & { settings: AppSettings; rules: DeliveryRules }
/** A send that has begun. `made`: all its batches. `batches`: those to publish pointers at, which no waiting dispatcher has got. */
export type Begun = { row: FanOut; send: FrozenSend; made: MadeBatch[]; batches: BatchPointerRow[] }
/** What became of a small send. `known`: it has a fan-out already, or its app was erased. `many`: it reaches more than 100 devices. */
type Beginning = Begun | 'known' | 'many'

type ReadGiven = (granted: Granted) => Promise<TakeAnswer>
type Given = { batch: GivenBatch; granted: Granted }

/** The batches of one answer hold at most this many bytes; further batches are given without their content. */
const contentBytes = 500_000
const atOnce = 50
const sharing = { maxWaiting: 2_000, full: queueUnavailable, isShared: failsEverybody }

/**
 * Gives a function that begins small sends and resolves when their rows are committed. Waiting sends share a transaction, with apps taking turns. A
 * waiting dispatcher (`takers`) gets their batches after the commit, leased, with what `readGiven` reads.
 */
export function openStarting(
  audience: Audience,
  goOn: (begun: Begun) => void,
  takers: Pick<Takers, 'next'> = { next: () => undefined },
  readGiven: ReadGiven = () => Promise.reject(new Error('nothing is given')),
): (sends: FrozenSmallSend[]) => Promise<void> {
  const begin = group((sends: Ready[]) => beginTogether(audience, sends, takers.next(), readGiven), {
    ...sharing,
    limit: atOnce,
    appOf: ({ send }) => send.appId,
  })
  const start = async (small: FrozenSmallSend): Promise<void> => {
    const ready = await prepare(audience, small)
    const begun = ready && (await begin(ready).catch((error: unknown) => leave(audience, small, error)))
    // After a crash the sweep does what `goOn` does. A send that needs more, failed alone or is known gets a pointer.
    if (typeof begun === 'object') goOn(begun)
    else await pointAtSends(audience, [small.send])
  }
  return async (sends) => {
    // When one send fails, the other sends still get their rows, and then the call fails.
    const started = await Promise.allSettled(sends.map(start))
    const failed = started.find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
  }
}

/** Reads the app's settings and the rules of a send; undefined when the send cannot be begun together with others. */
async function prepare({ settingsOf }: Audience, small: FrozenSmallSend): Promise<Ready | undefined> {
  const { send } = small
  const settings = await settingsOf(send.appId)
  if (!settings || send.userTimezone || send.remainder) return undefined
  const rules = rulesFor(send, settings)
  return rules.holdFor || rules.frequencyCap || rules.holdout ? undefined : { ...small, settings, rules }
}

function leave({ log }: Audience, { send: { campaignId, appId } }: FrozenSmallSend, error: unknown): undefined {
  if (isAway(error)) throw error
  log.warn({ campaignId, appId, err: error }, 'a send could not be begun with others, it is begun alone')
}

async function beginTogether(audience: Audience, sends: Ready[], taker: Taker | undefined, readGiven: ReadGiven): Promise<Beginning[]> {
  const given: Given[] = []
  try {
    return await beginAll(audience, sends, taker, given)
  } finally {
    // The next sends do not wait until this dispatcher has its answer.
    if (taker) {
      const at = performance.now()
      void withContent(given, readGiven).then((batches) => taker.answer(batches, at))
    }
  }
}

/**
 * Reads what given batches hold. That is after their commit, so devices have their present owners. A batch that cannot be read, or brings the answer
 * above `contentBytes`, goes without: its dispatcher asks for it.
 */
async function withContent(given: Given[], readGiven: ReadGiven): Promise<GivenBatch[]> {
  const contents = await Promise.allSettled(given.map(({ granted }) => readGiven(granted)))
  let bytes = 0
  return given.map(({ batch }, index) => {
    const read = contents[index]
    if (read?.status !== 'fulfilled') return batch
    bytes += Buffer.byteLength(JSON.stringify(read.value))
    return bytes <= contentBytes ? { ...batch, content: read.value } : batch
  })
}

/** Begins sends. Adds to `given` the batches that it has leased to `taker`. */
async function beginAll({ db, ...audience }: Audience, sends: Ready[], taker: Taker | undefined, given: Given[]): Promise<Beginning[]> {
  // Campaigns may hand a send over twice, and this group may hold both copies.
  const distinct = [...new Map(sends.map((one) => [one.send.campaignId, one])).values()]
  const asked = distinct.map(({ send, target, rules }) => ({
    appId: send.appId,
    target,
    withZones: rules.skipIn !== null,
    category: rules.category,
    inbox: send.inbox ?? false,
  }))
  const few = await findFew(db, asked)
  const chosen = distinct.flatMap(({ send, settings, rules }, index) => {
    const devices = few.devices[index] ?? []
    if (devices === 'many') return []
    const meant = devices.filter(({ userId }) => isMeant(send, userId))
    const pushes = queue(meant, {
      ...{ appId: send.appId, silent: send.silent, holdout: null, skipIn: rules.skipIn },
      ...{ defaultTimezone: settings.defaultTimezone, at: few.startedAt, expired: false },
    })
    return {
      campaignId: send.campaignId,
      appId: send.appId,
      // Dispatchers need only the default time zone of the settings, so the send keeps it. The whole settings are stored only if quiet
      // hours may have skipped pushes, so that explain can show why.
      send: { ...send, defaultTimezone: settings.defaultTimezone },
      settings: rules.skipIn ? settings : null,
      counts: countByPlatform(pushes),
      batches: cutIntoBatches(pushes).map((batch, place) => ({
        ...batch,
        id: newId(),
        no: place + 1,
        hasTaker: batch.subscriptionIds.length <= smallBatch && taker?.reserve(send.appId, batch.platform) === true,
      })),
    }
  })
  const made = await insertSmallSends(db, few.exactStart, chosen)
  const batchesOf = new Map(chosen.map(({ campaignId, batches }) => [campaignId, batches]))
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
    for (const { id, no, platform, subscriptionIds, decided } of batches) {
      if (!one.taken.has(id)) continue
      const about = { campaignId, appId, platform, lane: 'prompt', takes: 1, size: subscriptionIds.length } as const
      const { day } = one.row
      const row = { ...about, id, day, no, tries: 0, queuedAt: one.madeAt, elapsedMs: 0, decided, probes: null, heldEnvironments: [] }
      given.push({ batch: { batchId: id, ...about }, granted: { row, from: 0, knowsSend: false } })
    }
    return { row: one.row, send, made: batches, batches: pointers }
  })
}
