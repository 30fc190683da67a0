import { openPresence, openTurns } from './turns.ts'

/**
 * Limits how much work runs at once: there are `size` places for work. One app (its `turn`) has at most `share` places, so that an app whose work is
 * slow leaves places to the others. While another app has asked within the last 2 s, an app has at most `crowdedShare` places, because the work of
 * all apps needs the same processors and connections. Apps that wait for a place take turns.
 */
export function openPlaces({
  size,
  share,
  crowdedShare = share,
}: {
  size: number
  share: number
  crowdedShare?: number
}): <T>(turn: string, work: () => Promise<T>) => Promise<T> {
  const presence = openPresence()
  const waiting = openTurns<() => void>()
  const held = new Map<string, number>()
  let taken = 0
  const may = (turn: string) => (held.get(turn) ?? 0) < (presence.othersThan(turn) ? crowdedShare : share)
  const take = (turn: string) => {
    held.set(turn, (held.get(turn) ?? 0) + 1)
    taken += 1
  }
  const leave = (turn: string) => {
    const left = (held.get(turn) ?? 1) - 1
    if (left > 0) held.set(turn, left)
    else held.delete(turn)
    taken -= 1
    while (taken < size) {
      const enter = waiting.next(may)
      if (!enter) return
      enter()
    }
  }
  return async (turn, work) => {
    presence.seen(turn)
    if (taken < size && may(turn)) take(turn)
    else {
      await new Promise<void>((resolve) => {
        waiting.add(turn, () => {
          take(turn)
          resolve()
        })
      })
    }
    try {
      return await work()
    } finally {
      leave(turn)
    }
  }
}
