import { nextAtOnce, nextWaitMs } from '@herald/contracts/calls/audience'
import type { GivenBatch } from '@herald/contracts/batch'
import type { Platform } from '@herald/contracts/platform'

type Asked = { room: Record<Platform, number>; full: readonly string[] }

/** A dispatcher that waits for batches. After `next` has given it to a transaction, no other transaction gets it until `answer` is called. */
export type Taker = {
  /** Whether the dispatcher can take one more batch of an app and platform. If it can, one of its free places is reserved for that batch. */
  reserve(appId: string, platform: Platform): boolean
  /** Gives the dispatcher these batches, whose content was read at `at`. When there are none it goes on waiting. */
  answer(batches: GivenBatch[], at: number): void
}

export type Takers = {
  /** Waits until there are batches for a dispatcher, and answers without any after a second. */
  wait: (asked: Asked) => Promise<{ batches: GivenBatch[]; at: number }>
  /** Gives the dispatcher that has waited longest. */
  next(): Taker | undefined
  /** Answers every waiting dispatcher without batches. From then on each call of `wait` is answered at once. */
  stop(): void
}

/** Makes the list of dispatchers that wait for batches of small sends. Each dispatcher waits with one call, so the list is short. */
export function openTakers(): Takers {
  const waiting = new Set<Taker>()
  let stopped = false
  return {
    wait: ({ room, full }) =>
      new Promise((resolve) => {
        let left = { ...room }
        let places = nextAtOnce
        let isOver = stopped
        const end = (batches: GivenBatch[], at: number) => {
          clearTimeout(timer)
          waiting.delete(taker)
          resolve({ batches, at })
        }
        const taker: Taker = {
          reserve(appId, platform) {
            if (places === 0 || left[platform] === 0 || full.includes(appId)) return false
            places -= 1
            left[platform] -= 1
            return true
          },
          answer(batches, at) {
            if (batches.length > 0 || isOver || stopped) return end(batches, at)
            places = nextAtOnce
            left = { ...room }
            waiting.add(taker)
          },
        }
        const timer = setTimeout(() => {
          isOver = true
          // When a transaction has this dispatcher now, that transaction answers it.
          if (waiting.has(taker)) end([], performance.now())
        }, nextWaitMs)
        taker.answer([], performance.now())
      }),
    next() {
      const [taker] = waiting
      if (taker) waiting.delete(taker)
      return taker
    },
    stop() {
      stopped = true
      for (const taker of waiting) taker.answer([], performance.now())
    },
  }
}
