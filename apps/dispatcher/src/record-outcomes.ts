import type { BatchOutcomes, Outcome } from '@herald/contracts/outcome'
import { apart, asNow, type Within } from '@herald/service/request-id'

/** Which batch an outcome belongs to. One object per batch: outcomes are put together by its identity. */
export type OutcomeOwner = Omit<BatchOutcomes, 'outcomes'>

/** A call carries at most this many outcomes: a commit of 500 to 1,000 costs ~6 µs each, one of 50 ten times that. */
const outcomesPerCall = 1_000
/** The tracker takes at most so many batches in one call. */
const batchesPerCall = 200
/** A call that failed is repeated after these, the last one for good. */
const repeatAfterMs = [50, 100, 250, 500, 1_000, 2_000] as const

export type Recorder = {
  /** Resolves when the tracker has committed the outcome. It never gives up: an outcome is not dropped while the process lives. */
  record(owner: OutcomeOwner, outcome: Outcome): Promise<void>
}

/**
 * Tells the tracker outcomes as they come, over all batches of the process: one call is in flight, and what became ready
 * meanwhile goes along in the next. A repeated call counts nothing twice, the tracker's key guards it. `isAway`: nobody is
 * there to judge the outcomes, so all are repeated; any other refusal is repeated batch by batch, so that one the tracker
 * will not take does not hold up the others. A call is part of the trace of its first batch.
 */
export function openRecorder(
  commit: (batches: BatchOutcomes[]) => Promise<unknown>,
  { isAway, onRefused }: { isAway: (error: unknown) => boolean; onRefused: (owner: OutcomeOwner, error: unknown) => void },
): Recorder {
  type Waiting = { owner: OutcomeOwner; outcome: Outcome; within: Within; resolve: () => void }
  let waiting: Waiting[] = []
  let running = false

  const commitOnce = async (taken: Waiting[]): Promise<{ ok: true } | { ok: false; error: unknown }> => {
    const byOwner = Map.groupBy(taken, ({ owner }) => owner)
    const batches = [...byOwner].map(([owner, of]) => ({ ...owner, outcomes: of.map(({ outcome }) => outcome) }))
    const within = taken[0]?.within ?? apart
    try {
      await within(() => commit(batches))
    } catch (error) {
      return { ok: false, error }
    }
    for (const { resolve } of taken) resolve()
    return { ok: true }
  }

  const drain = async () => {
    running = true
    // What is decided within one turn of the event loop goes together.
    await new Promise((resolve) => setImmediate(resolve))
    for (let failures = 0; waiting.length > 0;) {
      const taken = waiting
      const cut = placeToCut(taken)
      const now = taken.slice(0, cut)
      waiting = taken.slice(cut)
      const result = await commitOnce(now)
      if (result.ok) {
        failures = 0
        continue
      }
      if (isAway(result.error)) {
        waiting = [...now, ...waiting]
      } else {
        for (const [owner, of] of Map.groupBy(now, ({ owner }) => owner)) {
          const alone = await commitOnce(of)
          if (alone.ok) continue
          if (!isAway(alone.error)) onRefused(owner, alone.error)
          waiting.push(...of)
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
  }
}

/** How many from the front go in one call. */
function placeToCut(waiting: readonly { owner: OutcomeOwner }[]): number {
  const owners = new Set<OutcomeOwner>()
  const most = Math.min(waiting.length, outcomesPerCall)
  for (let at = 0; at < most; at += 1) {
    const { owner } = waiting[at] ?? {}
    if (owner) owners.add(owner)
    if (owners.size > batchesPerCall) return at
  }
  return most
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
