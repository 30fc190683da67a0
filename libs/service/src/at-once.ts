import { openPresence, openTurns } from './turns.ts'

type Refusal = { mostWaiting: number; waitMs: number; full: () => Error }
type NoRefusal = { mostWaiting?: undefined; waitMs?: undefined; full?: undefined }

/**
 * Limits work to `atOnce` pieces at once, `share` of one app, or `crowdedShare` while another app asked within 2 s. With `full` at most
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
} & (Refusal | NoRefusal)): <Answer>(work: () => Promise<Answer>, appId?: string) => Promise<Answer> {
  const refusal = bounds.full && bounds
  const waiting = openTurns<() => void>()
  const inWork = new Map<string, number>()
  let taken = 0
  const presence = openPresence()
  const mayBegin = (appId: string) => (inWork.get(appId) ?? 0) < (presence.othersThan(appId) ? crowdedShare : share)
  const begin = (appId: string) => {
    taken += 1
    inWork.set(appId, (inWork.get(appId) ?? 0) + 1)
  }

  const enter = async (appId: string) => {
    presence.seen(appId)
    if (taken < atOnce && mayBegin(appId)) {
      begin(appId)
      return
    }
    if (refusal && (waiting.size >= refusal.mostWaiting || waiting.sizeOf(appId) >= Math.ceil(refusal.mostWaiting / 2)))
      throw refusal.full()
    await new Promise<void>((resolve, reject) => {
      const goOn = () => {
        clearTimeout(timer)
        begin(appId)
        resolve()
      }
      const tooLong = () => {
        waiting.remove(appId, goOn)
        reject(refusal?.full())
      }
      const timer = refusal && setTimeout(tooLong, refusal.waitMs)
      waiting.add(appId, goOn)
    })
  }
  const leave = (appId: string) => {
    taken -= 1
    const left = (inWork.get(appId) ?? 1) - 1
    if (left > 0) inWork.set(appId, left)
    else inWork.delete(appId)
    while (taken < atOnce) {
      const next = waiting.next(mayBegin)
      if (!next) return
      next()
    }
  }

  return async (work, appId = '') => {
    await enter(appId)
    try {
      return await work()
    } finally {
      leave(appId)
    }
  }
}
