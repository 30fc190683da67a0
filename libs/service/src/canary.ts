import { canarySubject } from '@herald/contracts/topology'
import type { Service } from './run.ts'

/**
 * A message that finds out whether NATS can store one. It is larger than a page of a disk, because a smaller message would still fit into the last
 * page that a full disk has begun.
 */
const canary = new Uint8Array(8_192)
const everyMs = 10_000
/** While publishes to a stream fail, a canary is published this often, so that the alarm ends soon after its cause. */
const againMs = 2_000
/**
 * An alarm is raised when publishes to one stream fail for this long and none of them succeeds. An election among the servers of a cluster, up to 10 s,
 * raises none.
 */
const alarmAfterMs = 30_000
/** The failures of a stream are forgotten when no further publish to the stream fails for this long. */
const forgottenAfterMs = 30_000

export type QueueAlarm = {
  /**
   * Notes whether a publish to this subject was stored. It must not be called for a publish that failed because the connection was lost, because that
   * does not mean that the server cannot store.
   */
  published(subject: string, stored: boolean): void
}

/**
 * Raises an alarm (an error line, and 0 in `herald_queue_writable`) while NATS cannot store messages. It watches every publish, and a canary every 10
 * s: after a full disk nats-server 2.14 stores nothing in that stream until it restarts (measured).
 */
export function watchQueue(service: Service, publishCanary: (subject: string, body: Uint8Array) => Promise<void>): QueueAlarm {
  const failing = new Map<string, { since: number; last: number }>()
  let alarmed = false
  const look = (now: number) => {
    for (const [stream, { last }] of failing) if (now - last > forgottenAfterMs) failing.delete(stream)
    const full = [...failing].find(([, { since, last }]) => last - since >= alarmAfterMs)?.[0]
    if (full !== undefined && !alarmed)
      service.log.error(
        { stream: full },
        'NATS cannot store messages: its disk or the stream is full (with space again it needs a restart), or most of its servers are away',
      )
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
