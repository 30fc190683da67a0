import { openOrigin, type Origin, type OriginEvent } from '@herald/http2/client/origin'
import type { Limits } from '@herald/http2/client/limits'
import type { Reply } from '@herald/http2/client/reply'
import type { Request } from '@herald/http2/client/stream'
import { asError } from '../core/answer.ts'

/** The connections to one provider, and how they are replaced when it is in trouble. */
export type ProviderOrigin = {
  /** Sends a request and tells `hear` what `read` makes of its reply. */
  request<Read>(request: Request, read: (reply: Reply) => Read, hear: (read: Read | Error) => void): void
  close(): Promise<void>
}

/** A server in trouble gets new connections at most this often, not with every answer. */
const replaceEveryMs = 10_000

const limits: Partial<Limits> = {
  // FCM allows 100 streams on each connection, and 1,000 pushes may be on their way.
  connections: 10,
  // DISPATCH_WINDOW bounds how many requests wait. This is the most that it can be.
  queuedRequests: 100_000,
  // Audience remembers who is away (circuits), so a push waits a second for the next attempt to connect, not its whole time limit.
  longestBackoffMs: 1_000,
}

/**
 * Opens (at the first request) HTTP/2 connections to the host and port of `url`. A 5xx means an overloaded or stopping
 * server: later pushes go over new connections, and those on their way are still answered. `onEvent` hears what happens to the connections.
 */
export function openProviderOrigin({ hostname, port }: URL, onEvent: (event: OriginEvent) => void = () => undefined): ProviderOrigin {
  const open = (): Origin =>
    // In a URL an IPv6 address stands in brackets, for a connection it does not.
    openOrigin({ host: hostname.replaceAll(/[[\]]/g, ''), port: port === '' ? 443 : Number(port), limits, onEvent })
  let current = open()
  let isClosed = false
  let replacedAt = Number.NEGATIVE_INFINITY
  /** Connections that were replaced and have requests on their way. */
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
    // The request waited for room on connections that we have closed since. It may be repeated at once, and says nothing of the provider.
    if (reply.is === 'unsent' && isOurDoing) return { is: 'refused', reason: 'closed' }
    const isAiling = reply.is === 'answered' && reply.status >= 500
    if (isAiling && !isOurDoing && performance.now() - replacedAt >= replaceEveryMs) replace()
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
