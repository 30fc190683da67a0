import { openPresence, openTurns } from './turns.ts'

/**
 * Limits how much work runs at once: at most `atOnce` pieces. Of these at most `share` belong to one app (the `turn` of the work), or at most
 * `crowdedShare` while another app has asked within the last 2 s. Further work waits up to `waitMs`, and waiting apps take turns. At most
 * `mostWaiting` pieces wait, and at most half as many of one app. Work that finds too much work waiting, or has waited too long, does not begin: its
 * caller gets the error that `full` makes.
 */
export function openAtOnce({
  atOnce,
  share = atOnce,
  crowdedShare = share,
  mostWaiting,
  waitMs,
  full,
}: {
  atOnce: number
  share?: number
  crowdedShare?: number
  mostWaiting: number
  waitMs: number
  full: () => Error
}): <Answer>(work: () => Promise<Answer>, turn?: string) => Promise<Answer> {
  const waiting = openTurns<() => void>()
  const inWork = new Map<string, number>()
  let taken = 0
  const presence = openPresence()
  const mayBegin = (turn: string) => (inWork.get(turn) ?? 0) < (presence.othersThan(turn) ? crowdedShare : share)
  const begin = (turn: string) => {
    taken += 1
    inWork.set(turn, (inWork.get(turn) ?? 0) + 1)
  }

  const enter = async (turn: string) => {
    presence.seen(turn)
    if (taken < atOnce && mayBegin(turn)) {
      begin(turn)
      return
    }
    if (waiting.size >= mostWaiting || waiting.sizeOf(turn) >= Math.ceil(mostWaiting / 2)) throw full()
    await new Promise<void>((resolve, reject) => {
      const goOn = () => {
        clearTimeout(timer)
        begin(turn)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.remove(turn, goOn)
        reject(full())
      }, waitMs)
      waiting.add(turn, goOn)
    })
  }
  const leave = (turn: string) => {
    taken -= 1
    const left = (inWork.get(turn) ?? 1) - 1
    if (left > 0) inWork.set(turn, left)
    else inWork.delete(turn)
    while (taken < atOnce) {
      const next = waiting.next(mayBegin)
      if (!next) return
      next()
    }
  }

  return async (work, turn = '') => {
    await enter(turn)
    try {
      return await work()
    } finally {
      leave(turn)
    }
  }
}
