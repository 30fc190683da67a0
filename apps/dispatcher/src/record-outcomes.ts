import { setTimeout as pause } from 'node:timers/promises'
import type { UnknownBatch } from '@herald/contracts/calls/tracker'
import { addEnd, type BatchOutcomes, type End, type EndOfPlaces } from '@herald/contracts/outcome'
import { apart, asNow, type Within } from '@herald/service/request-id'

/** The batch that outcomes belong to. */
export type OutcomeOwner = Omit<BatchOutcomes, 'results'>

/**
 * A call to the tracker carries at most this many outcomes. Large calls are cheaper: an outcome costs about 6 µs in a commit of 500 to 1,000
 * outcomes, and ten times as much in a commit of 50.
 */
const outcomesPerCall = 1_000
/** The tracker takes at most this many batches in one call. */
const batchesPerCall = 200
/** The pauses before the first, second and further repeats of a failed call. After the sixth repeat every pause is as long as the last of these. */
const repeatAfterMs = [50, 100, 250, 500, 1_000, 2_000] as const
/**
 * A batch is parked after this many failed calls that carried only this batch, if the tracker has taken outcomes of other batches since the first of
 * these calls.
 */
const refusalsToPark = 3
/**
 * The pauses before a parked batch is tried again. When the try after the last pause is refused too, the batch is given up, about two minutes after
 * it was parked.
 */
const parkedForMs = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000] as const
/**
 * A small send goes out while the ledger is told of it, and its outcome may arrive first. For this long after a batch was begun the ledger is asked
 * again, after each pause, before audience is.
 */
const reportedWithinMs = 1_000
const reportedPauseMs = 25
/**
 * At most this many outcomes are parked, each about 200 bytes. A refused batch beyond that stays in the line and keeps its places in the window,
 * which slows sending down.
 */
const mostParked = 20_000

/** Is called with the number of pushes that are committed, or parked with their batch, so that their places in the window may be given back. */
export type Committed = (pushes: number) => void

/** Sends the outcomes of one batch to the tracker. */
export type BatchRecorder = {
  /**
   * Takes a push's outcome, and calls `committed` when it is committed, once for successive pushes with the same function, with their number. It
   * drops none while the tracker is away.
   */
  record(end: End, place: number, committed: Committed): void
  /** Resolves when nothing of the batch is parked any more, because it was committed or given up. Rejects when the process stops before that. */
  settled(): Promise<void>
}

export type Recorder = {
  /**
   * Begins a batch. Its outcomes are part of the trace that is active now. `isHeld` asks audience whether the batch is still this process's, and lets
   * audience report it to the ledger again if it is.
   */
  open(owner: OutcomeOwner, isHeld: () => Promise<boolean>): BatchRecorder
}

/**
 * The outcomes of a batch that wait to be sent to the tracker and, for each push in the order of arrival, the function to call when it is committed.
 */
type Waiting = { ends: EndOfPlaces[]; committed: Committed[] }
type OfBatch = { owner: OutcomeOwner; within: Within; waiting: Waiting; isHeld: () => Promise<boolean>; openedAt: number }
type Taken = { of: OfBatch; waiting: Waiting }
type Refusals = { count: number; since: number }
type Parked = { waiting: Waiting[]; tries: number; dueAt: number; triedAt: number; ended: PromiseWithResolvers<void> }

/**
 * Sends the process's outcomes to the tracker, one call at a time; a repeat counts nothing twice. A batch that is refused alone is parked, later
 * given up (`onGivenUp`), but not beyond `mostParked`, nor while the tracker takes nothing.
 */
export function openRecorder(
  commit: (batches: BatchOutcomes[]) => Promise<{ unknown?: UnknownBatch[] }>,
  {
    isAway,
    onRefused,
    onGivenUp,
    onLetGo,
    stopping,
    parkedMs = parkedForMs,
  }: {
    isAway: (error: unknown) => boolean
    onRefused: (owner: OutcomeOwner, error: unknown) => void
    onGivenUp: (owner: OutcomeOwner, outcomes: number, error: unknown) => void
    /** Neither the ledger nor audience knows the batch: the database went back in time (spec: running/lost-rows). */
    onLetGo: (owner: OutcomeOwner, outcomes: number) => void
    stopping: AbortSignal
    parkedMs?: readonly number[]
  },
): Recorder {
  /** The batches with outcomes that wait, in the order in which their first outcome came. */
  const line = new Set<OfBatch>()
  let running = false
  /** Halved with each repeat while the tracker is away, down to one batch. */
  let batchesNow = batchesPerCall
  /** When the tracker last took outcomes, by the monotonic clock. */
  let takenAt = -1
  const refused = new Map<OfBatch, Refusals>()
  const parked = new Map<OfBatch, Parked>()

  const commitOnce = async (taken: Taken[]): Promise<{ ok: true } | { ok: false; error: unknown }> => {
    const batches = taken.map(({ of, waiting }) => ({ ...of.owner, results: waiting.ends }))
    const within = taken[0]?.of.within ?? apart
    let answer: { unknown?: UnknownBatch[] }
    try {
      answer = await within(() => commit(batches))
    } catch (error) {
      return { ok: false, error }
    }
    takenAt = performance.now()
    for (const one of taken) {
      if (isUnknown(one.of, answer)) void one.of.within(() => settleUnknown(one))
      else {
        refused.delete(one.of)
        tellCommitted(one.waiting)
      }
    }
    return { ok: true }
  }

  /** Asks audience about a batch that the ledger does not know. It is let go unless this process holds it. */
  const settleUnknown = async (one: Taken) => {
    if (performance.now() - one.of.openedAt < reportedWithinMs) {
      await pause(reportedPauseMs)
      backInLine(one)
      if (!running) void apart(drain)
      return
    }
    // Without an answer nobody knows, so the batch is tried again like one that is held.
    if (await one.of.isHeld().catch(() => true)) {
      putBack(one, unknownBatch)
      if (line.size > 0 && !running) void apart(drain)
      return
    }
    refused.delete(one.of)
    onLetGo(one.of.owner, one.waiting.committed.length)
    tellCommitted(one.waiting)
  }

  const backInLine = ({ of, waiting }: Taken) => {
    of.waiting = together(waiting, of.waiting)
    line.add(of)
  }

  /** Puts a batch back in line, or parks it, after a call with it alone has failed. */
  const putBack = (one: Taken, error: unknown) => {
    const { of, waiting } = one
    const refusals = refused.get(of) ?? { count: 0, since: performance.now() }
    refusals.count += 1
    refused.set(of, refusals)
    if (error === unknownBatch || !isAway(error)) onRefused(of.owner, error)
    const held = [...parked.values()].reduce((sum, other) => sum + outcomesOf(other), 0)
    const isTooMany = held + waiting.committed.length > mostParked
    if (refusals.count < refusalsToPark || takenAt < refusals.since || isTooMany) backInLine(one)
    else park(one)
  }

  const park = ({ of, waiting }: Taken) => {
    refused.delete(of)
    const now = performance.now()
    const known = parked.get(of)
    const ended = Promise.withResolvers<void>()
    const one = known ?? { waiting: [], tries: 0, dueAt: now + (parkedMs[0] ?? 0), triedAt: now, ended }
    parked.set(of, one)
    // `settled()` awaits this promise. When a stop rejects it and nobody awaits it, Node must not report an unhandled rejection.
    one.ended.promise.catch(() => undefined)
    one.waiting.push(waiting)
    tellCommitted(waiting)
    if (parked.size === 1 && !known) void apart(retryParked)
  }

  const retryParked = async () => {
    while (parked.size > 0 && !stopping.aborted) {
      const [next] = [...parked].toSorted(([, one], [, other]) => one.dueAt - other.dueAt)
      if (!next) return
      const [of, one] = next
      if (!(await rest(one.dueAt - performance.now(), stopping))) break
      try {
        const answer = await commit([{ ...of.owner, results: one.waiting[0]?.ends ?? [] }])
        if (isUnknown(of, answer)) {
          if (await of.isHeld()) throw unknownBatch
          onLetGo(of.owner, outcomesOf(one))
          parked.delete(of)
          one.ended.resolve()
          continue
        }
        one.waiting.shift()
        one.tries = 0
        if (one.waiting.length > 0) continue
        parked.delete(of)
        one.ended.resolve()
      } catch (error) {
        // An error counts only when the tracker took other batches' outcomes since the last try: then it is not away. A batch whose row somebody has
        // locked is answered alike: it waits longer, but is never given up.
        if (error === unknownBatch || takenAt >= one.triedAt) {
          one.tries += 1
          if (error !== unknownBatch && isAway(error)) {
            one.tries = Math.min(one.tries, parkedMs.length - 1)
            onRefused(of.owner, error)
          }
        }
        const pauseMs = parkedMs[one.tries]
        one.triedAt = performance.now()
        one.dueAt = one.triedAt + (pauseMs ?? 0)
        if (pauseMs !== undefined) continue
        parked.delete(of)
        onGivenUp(of.owner, outcomesOf(one), error)
        one.ended.resolve()
      }
    }
    for (const { ended } of parked.values()) ended.reject(new Error('the process stops while outcomes are parked'))
    parked.clear()
  }

  /** Takes as many batches from the front of the line as a call may carry. */
  const takeForCall = (): Taken[] => {
    const taken: Taken[] = []
    let outcomes = 0
    for (const of of line) {
      outcomes += of.waiting.committed.length
      if (taken.length > 0 && (taken.length >= batchesNow || outcomes > outcomesPerCall)) break
      taken.push({ of, waiting: of.waiting })
      of.waiting = nothingWaits()
      line.delete(of)
    }
    return taken
  }

  const drain = async () => {
    running = true
    // Waits for the end of this turn of the event loop, so that all outcomes of the turn travel together.
    await new Promise((resolve) => setImmediate(resolve))
    for (let failures = 0; line.size > 0;) {
      const taken = takeForCall()
      const result = await commitOnce(taken)
      if (result.ok) {
        failures = 0
        batchesNow = Math.min(batchesNow * 2, batchesPerCall)
        continue
      }
      const [first] = taken
      if (taken.length === 1 && first) putBack(first, result.error)
      else if (isAway(result.error)) {
        batchesNow = Math.max(1, Math.floor(taken.length / 2))
        taken.forEach(backInLine)
      } else {
        for (const one of taken) {
          const alone = await commitOnce([one])
          if (!alone.ok) putBack(one, alone.error)
        }
      }
      await pause(repeatAfterMs[Math.min(failures, repeatAfterMs.length - 1)] ?? 2_000)
      failures += 1
    }
    running = false
  }

  return {
    open(owner, isHeld) {
      const of: OfBatch = { owner, within: asNow(), waiting: nothingWaits(), isHeld, openedAt: performance.now() }
      return {
        record(end, place, committed) {
          addEnd(of.waiting.ends, end, place)
          of.waiting.committed.push(committed)
          line.add(of)
          if (!running) void apart(drain)
        },
        settled: () => parked.get(of)?.ended.promise ?? Promise.resolve(),
      }
    },
  }
}

/** Why outcomes wait that the ledger does not know although audience says that their batch is held. */
const unknownBatch = new Error('the ledger does not know this batch')

const isUnknown = ({ owner }: OfBatch, { unknown = [] }: { unknown?: UnknownBatch[] }): boolean =>
  unknown.some(({ campaignId, no }) => campaignId === owner.campaignId && no === owner.no)

const outcomesOf = ({ waiting }: Parked): number => waiting.reduce((sum, { committed }) => sum + committed.length, 0)

function together(first: Waiting, later: Waiting): Waiting {
  for (const end of later.ends) for (const place of end.places) addEnd(first.ends, end, place)
  first.committed.push(...later.committed)
  return first
}

const nothingWaits = (): Waiting => ({ ends: [], committed: [] })

/** Calls `committed` once for neighbours in the list that have the same function, with their number. */
function tellCommitted({ committed }: Waiting): void {
  let from = 0
  for (let at = 1; at <= committed.length; at += 1) {
    if (committed[at] === committed[from]) continue
    committed[from]?.(at - from)
    from = at
  }
}

/** Waits for `ms` milliseconds. Gives false when the signal ends the wait early. */
const rest = (ms: number, signal: AbortSignal): Promise<boolean> => pause(ms, true, { signal }).catch(() => false)
