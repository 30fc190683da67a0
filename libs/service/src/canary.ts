import { canarySubject } from '@herald/contracts/topology'
import type { Service } from './run.ts'

/** More than a page of a disk: a smaller message would fit into the half-written page of a disk that is full. */
const canary = new Uint8Array(8_192)
const everyMs = 10_000
/** While publishing fails, the canary is published again after this, so that the alarm ends soon after its cause. */
const againMs = 2_000
/** One failure is no alarm; failures over this long with no success between them are. */
const alarmAfterMs = 5_000
/** A failure that no other failure has followed for this long is forgotten. */
const forgottenAfterMs = 30_000

export type QueueAlarm = {
  /** Is told whether a publish to this subject was stored. It is not told of a publish that failed because the connection was lost: that server is away, not full. */
  published(subject: string, stored: boolean): void
}

/**
 * Notices when NATS is there and cannot write, because its disk or a stream is full. nats-server then answers no publish to that stream any more, even
 * when there is space again, until it is restarted (measured with 2.14). So the result of every publish counts here. A process that publishes nothing else
 * publishes a canary, to a stream that keeps one message per app and that no process reads. A message that was not stored is safe in its row. The alarm is an
 * error line and `herald_queue_writable` 0.
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
