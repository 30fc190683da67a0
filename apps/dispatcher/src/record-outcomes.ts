import { groupEnds, type BatchOutcomes, type PushEnd } from '@herald/contracts/outcome'
import { apart, asNow, type Within } from '@herald/service/request-id'

/** Which batch an outcome belongs to. One object per batch: outcomes are put together by its identity. */
export type OutcomeOwner = Omit<BatchOutcomes, 'results'>

/** A call carries at most this many outcomes: a commit of 500 to 1,000 costs ~6 µs each, one of 50 ten times that. */
const outcomesPerCall = 1_000
/** The tracker takes at most so many batches in one call. */
const batchesPerCall = 200
/** A call that failed is repeated after these, the last one for good. */
const repeatAfterMs = [50, 100, 250, 500, 1_000, 2_000] as const
/** A batch that is refused so often, while others are taken, is parked. */
const refusalsToPark = 3
/** A parked batch is tried again after these, and after the last one given up: about two minutes. */
const parkedForMs = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000] as const
/** ~200 bytes each. Above it what is refused stays in line and holds its places, which slows sending down. */
const mostParked = 20_000

export type Recorder = {
  /**
   * Resolves when the tracker has committed the outcome, or when its batch is parked: then its place may be given back. No outcome is
   * dropped while the tracker is away.
   */
  record(owner: OutcomeOwner, outcome: PushEnd): Promise<void>
  /** Resolves when nothing of the batch is parked: it was committed after all, or given up. Rejects when the process stops before that. */
  settled(owner: OutcomeOwner): Promise<void>
}

type Refusals = { count: number; since: number }
type Parked = { outcomes: PushEnd[]; tries: number; dueAt: number; triedAt: number; ended: PromiseWithResolvers<void> }

/**
 * Tells the tracker outcomes as they come, over all batches of the process: one call is in flight, and what became ready
 * meanwhile goes along in the next. A repeated call counts nothing twice: the place of each push guards it. A call is part of the trace of its
 * first batch.
 *
 * `isAway`: nobody is there to judge the outcomes, so all are repeated, half as many batches at a time: one that takes the tracker too long
 * is left behind alone. Any other refusal is repeated batch by batch. A batch that is refused again and again while others are taken is
 * parked: it holds no place and stands before nobody, is tried again ever more rarely, and at last given up, which `onGivenUp` hears. When
 * the tracker takes nothing at all nothing is parked: the fault is not the batch's.
 */
export function openRecorder(
  commit: (batches: BatchOutcomes[]) => Promise<unknown>,
  {
    isAway,
    onRefused,
    onGivenUp,
    stopping,
    parkedMs = parkedForMs,
  }: {
    isAway: (error: unknown) => boolean
    onRefused: (owner: OutcomeOwner, error: unknown) => void
    onGivenUp: (owner: OutcomeOwner, outcomes: number, error: unknown) => void
    stopping: AbortSignal
    parkedMs?: readonly number[]
  },
): Recorder {
  type Waiting = { owner: OutcomeOwner; outcome: PushEnd; within: Within; resolve: () => void }
  let waiting: Waiting[] = []
  let running = false
  let ownersPerCall = batchesPerCall
  /** When the tracker last took something, by the monotonic clock. */
  let takenAt = -1
  const refused = new Map<OutcomeOwner, Refusals>()
  const parked = new Map<OutcomeOwner, Parked>()

  const commitOnce = async (taken: Waiting[]): Promise<{ ok: true } | { ok: false; error: unknown }> => {
    const byOwner = Map.groupBy(taken, ({ owner }) => owner)
    const batches = [...byOwner].map(([owner, of]) => ({ ...owner, results: groupEnds(of.map(({ outcome }) => outcome)) }))
    const within = taken[0]?.within ?? apart
    try {
      await within(() => commit(batches))
    } catch (error) {
      return { ok: false, error }
    }
    takenAt = performance.now()
    for (const owner of byOwner.keys()) refused.delete(owner)
    for (const { resolve } of taken) resolve()
    return { ok: true }
  }

  /** A batch that failed alone: back in line, or parked. */
  const putBack = (owner: OutcomeOwner, of: Waiting[], error: unknown) => {
    const refusals = refused.get(owner) ?? { count: 0, since: performance.now() }
    refusals.count += 1
    refused.set(owner, refusals)
    if (!isAway(error)) onRefused(owner, error)
    const held = [...parked.values()].reduce((sum, { outcomes }) => sum + outcomes.length, 0)
    if (refusals.count < refusalsToPark || takenAt < refusals.since || held + of.length > mostParked) waiting.push(...of)
    else park(owner, of)
  }

  const park = (owner: OutcomeOwner, of: Waiting[]) => {
    refused.delete(owner)
    const now = performance.now()
    const known = parked.get(owner)
    const one = known ?? { outcomes: [], tries: 0, dueAt: now + (parkedMs[0] ?? 0), triedAt: now, ended: Promise.withResolvers<void>() }
    parked.set(owner, one)
    // Who waits for the end asks for it; a stop before that is nobody's mistake.
    one.ended.promise.catch(() => undefined)
    one.outcomes.push(...of.map(({ outcome }) => outcome))
    for (const { resolve } of of) resolve()
    if (parked.size === 1 && !known) void apart(retryParked)
  }

  const retryParked = async () => {
    while (parked.size > 0 && !stopping.aborted) {
      const [next] = [...parked].toSorted(([, one], [, other]) => one.dueAt - other.dueAt)
      if (!next) return
      const [owner, one] = next
      if (!(await rest(one.dueAt - performance.now(), stopping))) break
      const outcomes = one.outcomes.slice(0, outcomesPerCall)
      try {
        await commit([{ ...owner, results: groupEnds(outcomes) }])
        one.outcomes.splice(0, outcomes.length)
        one.tries = 0
        if (one.outcomes.length > 0) continue
        parked.delete(owner)
        one.ended.resolve()
      } catch (error) {
        // A refusal counts when the tracker has taken something of others since the last one.
        if (!isAway(error) && takenAt >= one.triedAt) one.tries += 1
        const pauseMs = parkedMs[one.tries]
        one.triedAt = performance.now()
        one.dueAt = one.triedAt + (pauseMs ?? 0)
        if (pauseMs !== undefined) continue
        parked.delete(owner)
        onGivenUp(owner, one.outcomes.length, error)
        one.ended.resolve()
      }
    }
    for (const { ended } of parked.values()) ended.reject(new Error('the process stops while outcomes are parked'))
    parked.clear()
  }

  const drain = async () => {
    running = true
    // What is decided within one turn of the event loop goes together.
    await new Promise((resolve) => setImmediate(resolve))
    for (let failures = 0; waiting.length > 0;) {
      const taken = waiting
      const cut = placeToCut(taken, ownersPerCall)
      const now = taken.slice(0, cut)
      waiting = taken.slice(cut)
      const result = await commitOnce(now)
      if (result.ok) {
        failures = 0
        ownersPerCall = Math.min(ownersPerCall * 2, batchesPerCall)
        continue
      }
      const byOwner = Map.groupBy(now, ({ owner }) => owner)
      if (isAway(result.error) && byOwner.size > 1) {
        ownersPerCall = Math.max(1, Math.floor(byOwner.size / 2))
        waiting.push(...now)
      } else if (byOwner.size === 1) {
        for (const [owner, of] of byOwner) putBack(owner, of, result.error)
      } else {
        for (const [owner, of] of byOwner) {
          const alone = await commitOnce(of)
          if (!alone.ok) putBack(owner, of, alone.error)
        }
      }
      await pause(repeatAfterMs[Math.min(failures, repeatAfterMs.length - 1)] ?? 2_000)
      failures += 1
    }
    running = false
  }

  return {
    record: (owner, outcome) =>
      new Promise((resolve) => {
        waiting.push({ owner, outcome, within: asNow(), resolve })
        if (!running) void apart(drain)
      }),
    settled: (owner) => parked.get(owner)?.ended.promise ?? Promise.resolve(),
  }
}

/** How many from the front go in one call. */
function placeToCut(waiting: readonly { owner: OutcomeOwner }[], mostOwners: number): number {
  const owners = new Set<OutcomeOwner>()
  const most = Math.min(waiting.length, outcomesPerCall)
  for (let at = 0; at < most; at += 1) {
    const { owner } = waiting[at] ?? {}
    if (owner) owners.add(owner)
    if (owners.size > mostOwners) return at
  }
  return most
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** False: the signal came first. */
const rest = (ms: number, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      resolve(false)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end)
      resolve(true)
    }, ms)
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
  })
