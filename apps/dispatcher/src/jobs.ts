import { queueUnavailable } from '@herald/contracts/fault'
import { platforms, type Lane, type Platform } from '@herald/contracts/platform'
import { openPresence, openTurns, type Presence, type Turns } from '@herald/service/turns'
import type { Answer } from './core/answer.ts'

/**
 * How many batches of a platform and lane are in work at once. Bulk ones are mostly full (500 pushes, 1 MB). Prompt ones wait, for three commits of
 * 50 to 100 ms: 64 allowed only 900 a second.
 */
export const batchesAtOnce: Record<Lane, number> = { prompt: 128, bulk: 8 }

/**
 * At most this many batches in work, of a platform and lane, belong to one app. The lower limits of `batchesOfCrowdedApp` apply instead while another
 * app had a batch within the last 2 s.
 */
const batchesOfApp: Record<Lane, number> = { prompt: 112, bulk: 8 }
const batchesOfCrowdedApp: Record<Lane, number> = { prompt: 16, bulk: 4 }

/**
 * At most so many pointers of a platform and lane wait here, where no other process can take them. The prompt number must exceed `pointedAtOnce`
 * (64), else one app's pointers keep those of others in NATS, without turns.
 */
export const pointersAtOnce: Record<Lane, number> = { prompt: 80, bulk: 2 }

/** A process that is told to stop waits at most this long for the pushes in flight. After that they count as unanswered. */
const drainMs = 8_000

/** The batches that this process works on: how many at once, and how they end when the process stops. A batch in work occupies a place. */
export type Jobs = {
  /** Aborted when the process is told to stop. From then on no further push is sent. */
  readonly stopping: AbortSignal
  readonly inWork: number
  /**
   * Waits for a place for one more batch. Apps take turns at places. Throws the fault queue_unavailable when this process stops, so that NATS gives
   * the pointer to another process.
   */
  enter(platform: Platform, lane: Lane, appId: string): Promise<{ leave(): void }>
  /**
   * Calls `cutOff` when the stopping process cannot wait any longer, with the answer for the pushes in flight. Gives a function that cancels this.
   */
  onCutOff(cutOff: (answer: Answer) => void): () => void
  /**
   * Takes a place for a batch that audience gave to this process, even when none is free. (The process asks for no more batches than it has places.)
   */
  occupy(platform: Platform, lane: Lane, appId: string): { leave(): void }
  /**
   * Gives how many more small batches audience may give to this process on each platform (`room`), and the apps that may have no more batches on some
   * platform (`full`).
   */
  room(): { room: Record<Platform, number>; full: string[] }
  /** Notes that a batch is in work until its promise ends. `stop` waits for the promise. */
  add(job: Promise<void>): void
  /** Stops: takes no new batch, sends no further push, waits at most 8 s for the pushes in flight, and resolves when no batch is in work. */
  stop(): Promise<void>
}

/** The batches of a platform and lane: how many places are taken in all and by each app, and the batches that wait for a place. */
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
  /** Makes the place of a batch. When the batch leaves it, the place goes to a batch of the app whose turn it is, or becomes free. */
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
        // Waits before it refuses the pointer. NATS would deliver a pointer that is refused at once to this process again and again, until the
        // process stops consuming.
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
