import { queueUnavailable } from '@herald/contracts/fault'
import { platforms, type Lane, type Platform } from '@herald/contracts/platform'
import { openPresence, openTurns, type Presence, type Turns } from '@herald/service/turns'
import type { Answer } from './core/answer.ts'

/**
 * Batches in work at once, per platform, so that a slow provider holds up its own only. Bulk batches are full (500 pushes,
 * ~1 MB), so few are held; prompt ones are mostly a single device that waits for its answer. Each goes through three commits that it shares
 * with others, 50 to 100 ms under load, so 64 of them were 900 a second at most.
 */
export const batchesAtOnce: Record<Lane, number> = { prompt: 128, bulk: 8 }

/** Of these one app has at most so many; fewer while others have batches too. */
const batchesOfApp: Record<Lane, number> = { prompt: 112, bulk: 8 }
const batchesOfCrowdedApp: Record<Lane, number> = { prompt: 16, bulk: 4 }

/**
 * Pointers in hand at once, per platform and lane: few, since one that waits here for a place is not there for another process. Of small sends
 * more than the 64 that an app has on the lane, or another app's pointer would wait behind them, where turns do not count.
 */
export const pointersAtOnce: Record<Lane, number> = { prompt: 80, bulk: 2 }

/** What is in flight when the process is told to stop is waited for so long; then it counts as unanswered. */
const drainMs = 8_000

/** The batches of this process: how many at once, and how they end when it stops. */
export type Jobs = {
  /** Aborted when the process is to stop: nothing is sent any more. */
  readonly stopping: AbortSignal
  /** Batches in work. */
  readonly inWork: number
  /** Waits for a place for one more batch; places go by turns of apps. Fault queue_unavailable when the process stops: the pointer is for another. */
  enter(platform: Platform, lane: Lane, appId: string): Promise<{ leave(): void }>
  /** `cutOff` is told, with what the pushes that wait are answered, when the process cannot wait any longer; until what is returned is called. */
  onCutOff(cutOff: (answer: Answer) => void): () => void
  /** A place for a batch that was given to this process, whether or not one is free: it asked for no more than it had room for. */
  occupy(platform: Platform, lane: Lane, appId: string): { leave(): void }
  /** How many more small batches of each platform may come unasked, and the apps that have as many as they may. */
  room(): { room: Record<Platform, number>; full: string[] }
  /** A batch is in work until its promise ends; stopping waits for it. */
  add(job: Promise<void>): void
  /** Stops: no new batch, nothing unsent is sent, what is in flight has 8 s, and every batch is finished. */
  stop(): Promise<void>
}

/** The batches of a platform and lane: places taken, in all and by app, and who waits for one. */
type Queue = { taken: number; of: Map<string, number>; presence: Presence; waiting: Turns<{ enter: () => void; turnAway: () => void }> }

export function openJobs(): Jobs {
  const stopping = new AbortController()
  const inWork = new Set<Promise<void>>()
  const inFlight = new Set<(answer: Answer) => void>()
  const queues = new Map<string, Queue>()
  const drained = Promise.withResolvers<void>()

  const cutOff = () => {
    for (const end of inFlight) end(stopped)
  }

  const queueOf = (platform: Platform, lane: Lane): Queue => {
    const name = `${platform} ${lane}`
    const queue: Queue = queues.get(name) ?? { taken: 0, of: new Map(), presence: openPresence(), waiting: openTurns() }
    queues.set(name, queue)
    return queue
  }
  const mayEnter = (queue: Queue, lane: Lane) => (app: string) =>
    (queue.of.get(app) ?? 0) < (queue.presence.othersThan(app) ? batchesOfCrowdedApp : batchesOfApp)[lane]
  const take = (queue: Queue, appId: string) => {
    queue.taken += 1
    queue.of.set(appId, (queue.of.get(appId) ?? 0) + 1)
  }
  /** The place goes to the app whose turn it is, or is free. */
  const placeIn = (queue: Queue, lane: Lane, appId: string) => ({
    leave: () => {
      queue.taken -= 1
      const left = (queue.of.get(appId) ?? 1) - 1
      if (left > 0) queue.of.set(appId, left)
      else queue.of.delete(appId)
      if (!stopping.signal.aborted) queue.waiting.next(mayEnter(queue, lane))?.enter()
    },
  })

  return {
    stopping: stopping.signal,
    get inWork() {
      return inWork.size
    },

    async enter(platform, lane, appId) {
      if (stopping.signal.aborted) {
        // Turned away at once, the pointer would come back to this process again and again until its consumers stop.
        await drained.promise
        throw queueUnavailable()
      }
      const queue = queueOf(platform, lane)
      queue.presence.seen(appId)
      if (queue.taken < batchesAtOnce[lane] && mayEnter(queue, lane)(appId)) take(queue, appId)
      else {
        await new Promise<void>((enter, reject) => {
          const goOn = () => {
            take(queue, appId)
            enter()
          }
          queue.waiting.add(appId, { enter: goOn, turnAway: () => reject(queueUnavailable()) })
        })
      }
      return placeIn(queue, lane, appId)
    },

    occupy(platform, lane, appId) {
      const queue = queueOf(platform, lane)
      queue.presence.seen(appId)
      take(queue, appId)
      return placeIn(queue, lane, appId)
    },

    room() {
      const lanes = platforms.map((platform) => ({ platform, queue: queueOf(platform, 'prompt') }))
      const free = ({ taken, waiting }: Queue) => (waiting.size > 0 ? 0 : Math.max(0, batchesOfApp.prompt - taken))
      return {
        room: Object.fromEntries(lanes.map(({ platform, queue }) => [platform, free(queue)])) as Record<Platform, number>,
        full: lanes.flatMap(({ queue }) => [...queue.of.keys()].filter((app) => !mayEnter(queue, 'prompt')(app))),
      }
    },

    onCutOff(end) {
      inFlight.add(end)
      return () => void inFlight.delete(end)
    },

    add(job) {
      const tracked: Promise<void> = job.finally(() => inWork.delete(tracked))
      inWork.add(tracked)
    },

    async stop() {
      stopping.abort()
      const timer = setTimeout(cutOff, drainMs)
      while (inWork.size > 0) await Promise.allSettled(inWork)
      clearTimeout(timer)
      drained.resolve()
      for (const { waiting } of queues.values()) for (let one = waiting.next(); one; one = waiting.next()) one.turnAway()
    },
  }
}

const stopped: Answer = { is: 'unanswered', why: 'timeout', reason: 'stopped' }
