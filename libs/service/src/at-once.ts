import { openPresence, openTurns } from './turns.ts'

type Refusal = { mostWaiting: number; waitMs: number; full: () => Error }
type NoRefusal = { mostWaiting?: undefined; waitMs?: undefined; full?: undefined }

/**
 * Limits work to `atOnce` pieces at once, `share` of one app (`turn`), or `crowdedShare` while another app asked within 2 s. With `full` at most
 * `mostWaiting` wait for up to `waitMs`; other callers get the error of `full`.
 */
export function openAtOnce({
  atOnce,
  share = atOnce,
  crowdedShare = share,
  ...bounds
}: {
  atOnce: number
  share?: number
  crowdedShare?: number
} & (Refusal | NoRefusal)): <Answer>(work: () => Promise<Answer>, turn?: string) => Promise<Answer> {
  const refusal = bounds.full && bounds
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
    if (refusal && (waiting.size >= refusal.mostWaiting || waiting.sizeOf(turn) >= Math.ceil(refusal.mostWaiting / 2))) throw refusal.full()
    await new Promise<void>((resolve, reject) => {
      const goOn = () => {
        clearTimeout(timer)
        begin(turn)
        resolve()
      }
      const tooLong = () => {
        waiting.remove(turn, goOn)
        reject(refusal?.full())
      }
      const timer = refusal && setTimeout(tooLong, refusal.waitMs)
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
