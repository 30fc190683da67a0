import { openPresence, openTurns } from './turns.ts'

/**
 * At most `size` works at once, and of one turn (an app) at most `share`: what is slow for one leaves places to the others. While others have
 * asked within 2 s it is at most `crowdedShare`, because what is in work waits for the same processors and connections. Who waits for a place
 * gets it by turns.
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
