import { nextAtOnce, nextWaitMs } from '@herald/contracts/calls/audience'
import type { GivenBatch } from '@herald/contracts/batch'
import type { Platform } from '@herald/contracts/platform'

type Asked = { room: Record<Platform, number>; full: readonly string[] }

/** A dispatcher that waits, and is nobody else's until it is answered or let go. */
export type Taker = {
  /** Whether it takes one more of an app and platform; then that is counted. */
  reserve(appId: string, platform: Platform): boolean
  /** Gives it these. With none it waits on for others. */
  answer(batches: GivenBatch[]): void
}

export type Takers = {
  /** Waits for batches, a second at most. */
  wait(asked: Asked): Promise<{ batches: GivenBatch[] }>
  /** Who has waited longest. */
  next(): Taker | undefined
  /** Lets everybody go, and nobody wait any more. */
  stop(): void
}

/** Dispatchers that wait for batches of small sends. A dispatcher waits with one call, so there are few. */
export function openTakers(): Takers {
  const waiting = new Set<Taker>()
  let stopped = false
  return {
    wait: ({ room, full }) =>
      new Promise((resolve) => {
        let left = { ...room }
        let places = nextAtOnce
        let isOver = stopped
        const end = (batches: GivenBatch[]) => {
          clearTimeout(timer)
          waiting.delete(taker)
          resolve({ batches })
        }
        const taker: Taker = {
          reserve(appId, platform) {
            if (places === 0 || left[platform] === 0 || full.includes(appId)) return false
            places -= 1
            left[platform] -= 1
            return true
          },
          answer(batches) {
            if (batches.length > 0 || isOver || stopped) return end(batches)
            places = nextAtOnce
            left = { ...room }
            waiting.add(taker)
          },
        }
        const timer = setTimeout(() => {
          isOver = true
          // One that is somebody's is answered by them.
          if (waiting.has(taker)) end([])
        }, nextWaitMs)
        taker.answer([])
      }),
    next() {
      const [taker] = waiting
      if (taker) waiting.delete(taker)
      return taker
    },
    stop() {
      stopped = true
      for (const taker of waiting) taker.answer([])
    },
  }
}
