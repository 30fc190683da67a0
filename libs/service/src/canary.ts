import { canarySubject } from '@herald/contracts/topology'
import type { Service } from './run.ts'

/** More than a page of a disk: a smaller one would fit into the half-written page of a disk that is full. */
const canary = new Uint8Array(8_192)
const everyMs = 10_000
/** While publishing fails it is tried again sooner, so that the alarm ends soon after its cause. */
const againMs = 2_000
/** One failure is a hiccup; failures over this long with no success between are an alarm. */
const alarmAfterMs = 5_000
/** A failure that none has followed for so long says nothing any more. */
const forgottenAfterMs = 30_000

export type QueueAlarm = {
  /** Whether a publish to this subject was stored. One that failed for want of a connection is not told: away is not full. */
  published(subject: string, stored: boolean): void
}

/**
 * Notices that NATS is there and cannot write: a full disk, a full stream. nats-server then answers nothing, each stream for itself,
 * and goes on so when there is space again, until it is restarted (measured with 2.14). So every publish of ours counts, and a canary
 * goes out where nothing else does: to a stream of its own that keeps one per app and nobody reads. What was not stored is safe in
 * its row; the alarm is an error line and `herald_queue_writable` 0.
 */
export function watchQueue(service: Service, publishCanary: (subject: string, body: Uint8Array) => Promise<void>): QueueAlarm {
  const failing = new Map<string, { since: number; last: number }>()
  let alarmed = false
  const look = (now: number) => {
    for (const [stream, { last }] of failing) if (now - last > forgottenAfterMs) failing.delete(stream)
    const full = [...failing].find(([, { since, last }]) => last - since >= alarmAfterMs)?.[0]
    if (full !== undefined && !alarmed)
      service.log.error({ stream: full }, 'NATS cannot store messages: is its disk full? With space again it needs a restart')
    if (full === undefined && alarmed) service.log.info('NATS stores messages again')
    alarmed = full !== undefined
  }
  service.metrics.gauge('herald_queue_writable', 'Whether NATS stores what is published.', {
    collect() {
      look(performance.now())
      this.set(alarmed ? 0 : 1)
    },
  })

  let stopped = false
  let timer: NodeJS.Timeout
  const plan = () => {
    if (stopped) return
    timer = setTimeout(() => void publishCanary(canarySubject(service.name), canary).finally(plan), failing.size > 0 ? againMs : everyMs)
    timer.unref()
  }
  plan()
  service.beforeStop('canary', () => {
    stopped = true
    clearTimeout(timer)
  })

  return {
    published(subject, stored) {
      const stream = subject.slice(0, subject.indexOf('.'))
      if (stored && !failing.has(stream)) return
      const now = performance.now()
      if (stored) failing.delete(stream)
      else failing.set(stream, { since: failing.get(stream)?.since ?? now, last: now })
      look(now)
    },
  }
}
