import { lanes, type Lane } from '@herald/contracts/platform'
import { openTurns, type Turns } from '@herald/service/turns'

/**
 * Bounds the pushes that wait for their answer or their outcome's commit: a kill may repeat these. A place comes back when the outcome is committed
 * or parked (record-outcomes.ts), so a slow tracker slows sending.
 */
export type Window = {
  /** Waits for a place. The apps of an origin and lane take turns. Gives false when the signal comes first; then there is no place to give back. */
  enter(origin: string, lane: Lane, signal: AbortSignal, appId?: string): Promise<boolean>
  /** Takes a place and gives true, or gives false when the push must wait. Nearly every push gets its place here, without a promise. */
  enterNow(origin: string, lane: Lane): boolean
  /** Gives back places of this origin and lane. */
  leave(origin: string, lane: Lane, places?: number): void
  /** How many places are taken. */
  readonly held: number
}

type Waiting = { enter: () => void }
type Origin = { held: number; waiting: Record<Lane, Turns<Waiting>> }

export function openWindow(size: number): Window {
  const share = Math.max(1, Math.floor(size / 4))
  const keptForPrompt = Math.floor(size / 4)
  /** Holds only the origins that have places or wait for some. */
  const origins = new Map<string, Origin>()
  let held = 0
  let heldByBulk = 0
  let waitingInAll = 0

  const mayEnter = (origin: Origin, lane: Lane): boolean =>
    // Of several origins with work, one that has a quarter of the places gets no further one. Bulk leaves a quarter to prompt.
    held < size && (lane === 'prompt' || heldByBulk < size - keptForPrompt) && (origins.size === 1 || origin.held < share)

  /** Gives the origin and lane that get the next place: the prompt lane before the bulk lane, and in a lane the origin that has the fewest places. */
  const next = (): { origin: Origin; lane: Lane } | undefined => {
    for (const lane of lanes) {
      let least: Origin | undefined
      for (const origin of origins.values()) {
        if (origin.waiting[lane].size > 0 && mayEnter(origin, lane) && (!least || origin.held < least.held)) least = origin
      }
      if (least) return { origin: least, lane }
    }
    return undefined
  }

  const take = (origin: Origin, lane: Lane) => {
    origin.held += 1
    held += 1
    if (lane === 'bulk') heldByBulk += 1
  }

  const letIn = () => {
    if (waitingInAll === 0) return
    for (let one = next(); one; one = next()) {
      waitingInAll -= 1
      take(one.origin, one.lane)
      one.origin.waiting[one.lane].next()?.enter()
    }
  }

  const dropIdle = (name: string, origin: Origin) => {
    if (origin.held === 0 && lanes.every((lane) => origin.waiting[lane].size === 0)) origins.delete(name)
  }

  const originOf = (name: string): Origin => {
    let origin = origins.get(name)
    if (!origin) origins.set(name, (origin = { held: 0, waiting: { prompt: openTurns<Waiting>(), bulk: openTurns<Waiting>() } }))
    return origin
  }

  const enterNow = (name: string, lane: Lane): boolean => {
    const origin = originOf(name)
    // This push waits if others wait in its queue, because it may not overtake them. Pushes in other queues do not matter: none of them may enter
    // now, or it would have a place already.
    if (origin.waiting[lane].size > 0 || !mayEnter(origin, lane)) {
      dropIdle(name, origin)
      return false
    }
    take(origin, lane)
    return true
  }

  return {
    enterNow,
    enter(name, lane, signal, appId = '') {
      if (signal.aborted) return Promise.resolve(false)
      if (enterNow(name, lane)) return Promise.resolve(true)
      const origin = originOf(name)
      return new Promise((resolve) => {
        const waiting: Waiting = {
          enter() {
            signal.removeEventListener('abort', giveUp)
            resolve(true)
          },
        }
        const giveUp = () => {
          origin.waiting[lane].remove(appId, waiting)
          waitingInAll -= 1
          dropIdle(name, origin)
          resolve(false)
          letIn()
        }
        signal.addEventListener('abort', giveUp)
        origin.waiting[lane].add(appId, waiting)
        waitingInAll += 1
      })
    },

    leave(name, lane, places = 1) {
      const origin = origins.get(name)
      if (!origin || origin.held < places) throw new Error(`no place of ${name} to give back`)
      origin.held -= places
      held -= places
      if (lane === 'bulk') heldByBulk -= places
      dropIdle(name, origin)
      letIn()
    },

    get held() {
      return held
    },
  }
}
