import { openOrigin, type Origin, type OriginEvent } from '@herald/http2/client/origin'
import type { Limits } from '@herald/http2/client/limits'
import type { Reply } from '@herald/http2/client/reply'
import type { Request } from '@herald/http2/client/stream'
import { directly, type WayOut } from '@herald/service/way-out'
import { asError } from '../core/answer.ts'

/** The connections to one provider. They are replaced when the provider answers 5xx, at most every 10 s. */
export type ProviderOrigin = {
  /** Sends a request and calls `hear` with what `read` makes of the reply. */
  request<Read>(request: Request, read: (reply: Reply) => Read, hear: (read: Read | Error) => void): void
  close(): Promise<void>
}

/** A provider that answers 5xx gets new connections at most this often, and not with every answer. */
const replaceEveryMs = 10_000

const limits: Partial<Limits> = {
  // Ten connections, because FCM allows 100 streams on each, and by default up to 1,000 pushes (DISPATCH_WINDOW) may be on their way.
  connections: 10,
  // DISPATCH_WINDOW already bounds how many requests wait, so this limit is the largest value that DISPATCH_WINDOW can have.
  queuedRequests: 100_000,
  // The longest pause between two attempts to connect. It can be this short, because audience's circuits hold pushes back while a provider is away.
  // So a push waits at most a second for the next attempt.
  longestBackoffMs: 1_000,
}

/**
 * Prepares HTTP/2 connections to `url`, which the first request opens. After a 5xx (overloaded or stopping server), later pushes use new connections.
 * `isOfConnection`: a reply speaks of its connection, which is replaced at once.
 */
export function openProviderOrigin(
  { hostname, port }: URL,
  onEvent: (event: OriginEvent) => void = () => undefined,
  { tunnel }: Pick<WayOut, 'tunnel'> = directly,
  isOfConnection: (reply: Reply) => boolean = () => false,
): ProviderOrigin {
  const open = (): Origin =>
    // A URL has an IPv6 address in brackets, and a connection needs the address without them.
    openOrigin({ host: hostname.replaceAll(/[[\]]/g, ''), port: port === '' ? 443 : Number(port), tunnel, limits, onEvent })
  let current = open()
  let isClosed = false
  let replacedAt = Number.NEGATIVE_INFINITY
  /** The connections that were replaced and still have requests on their way. */
  const ending = new Set<Promise<void>>()

  const replace = () => {
    const old = current.close()
    ending.add(old)
    void old.then(() => ending.delete(old))
    current = open()
    replacedAt = performance.now()
  }

  const noteReply = (reply: Reply, used: Origin): Reply => {
    const isOurDoing = isClosed || used !== current
    // The request waited for a connection of an origin that this function has closed since. It was not sent, so it may be repeated at once, and it
    // says nothing about the provider.
    if (reply.is === 'unsent' && isOurDoing) return { is: 'refused', reason: 'closed' }
    const isAiling = reply.is === 'answered' && reply.status >= 500
    const isLate = performance.now() - replacedAt >= replaceEveryMs
    if (!isOurDoing && ((isAiling && isLate) || isOfConnection(reply))) replace()
    return reply
  }

  return {
    request(request, read, hear) {
      const used = current
      used.send(request, (reply) => {
        try {
          hear(read(noteReply(reply, used)))
        } catch (error) {
          hear(asError(error))
        }
      })
    },
    async close() {
      isClosed = true
      await Promise.all([current.close(), ...ending])
    },
  }
}
