import type { HeadField, PreparedHead } from '@herald/http2/client/head'
import { openOrigin, type Origin, type OriginEvent } from '@herald/http2/client/origin'
import type { Reply } from '@herald/http2/client/reply'
import type { Guard } from '@herald/service/guarded-connect'
import { openGate, openHttp1, type Gate, type Http1 } from './http1.ts'

/** The request of one push, for any version of HTTP. */
export type PushRequest = {
  appId: string
  url: URL
  /** The header fields that all pushes of an app to this push service have in common. */
  head: PreparedHead
  /** The header fields of this push alone. */
  more: readonly HeadField[]
  body: Buffer
  timeoutMs: number
}

/** The connections of this process to push services. */
export type PushServices = {
  /** Posts one push, over HTTP/2 where the push service offers it. Never rejects: a failure of the network is a reply too. */
  send(request: PushRequest, about: { isNamed: boolean; isTrial: boolean }): Promise<Reply>
  /** How many push services were used and are not closed yet. Some may have no connection at the moment. */
  readonly open: number
  close(): Promise<void>
}

/** The time limit for name look-up, TCP and TLS together. It is shorter than the limit for an answer, since no byte of the push has been sent yet. */
const connectMs = 5_000
const bodyBytes = 65_536
/** Idle connections are searched for and closed this often. */
const sweepMs = 1_000

/**
 * How many push services and connections are allowed: for push services whose host is trusted (`isNamed`), and for all others, which may be
 * thousands.
 */
export const usualSizes = {
  named: { most: 1_000, connections: 10, http1Connections: 64, idleHttp1Connections: 64, idleMs: 30_000, connectingPerApp: 1_000 },
  others: { most: 500, connections: 1, http1Connections: 16, idleHttp1Connections: 1, idleMs: 5_000, connectingPerApp: 16 },
}
type Size = typeof usualSizes.named

/**
 * Opens connections to push services as needed, to addresses that the guard allows. Trusted hosts have a pool of their own, so that others cannot
 * take their connections. `onEvent`: events of HTTP/2 connections.
 */
export function openPushServices(guard: Guard, sizes = usualSizes, onEvent: (event: OriginEvent) => void = () => undefined): PushServices {
  const named = openPool(guard, sizes.named, onEvent)
  const others = openPool(guard, sizes.others, onEvent)
  return {
    send: (request, { isNamed, isTrial }) => (isNamed ? named : others).send(request, isTrial),
    get open() {
      return named.open + others.open
    },
    async close() {
      await Promise.all([named.close(), others.close()])
    },
  }
}

type PushService = {
  origin: Origin
  /** The connections over HTTP/1.1; set when the push service has chosen HTTP/1.1. */
  http1: Http1 | undefined
  /** How many pushes are on their way. */
  running: number
  usedAt: number
}

function openPool(guard: Guard, size: Size, onEvent: (event: OriginEvent) => void) {
  /** The push services by host and port. The one that was used last is at the end. */
  const services = new Map<string, PushService>()
  /**
   * For each app, a gate that bounds how many of its pushes open connections at once, so hundreds of push services cause no hundreds of handshakes.
   * New hosts pass it by: push-hosts.ts limits them to 32.
   */
  const connecting = new Map<string, Gate>()
  let isClosed = false
  let sweeping: NodeJS.Timeout | undefined

  function openService(url: URL): PushService {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    // A host in a URL may end in a dot, which stands for the root of the DNS. Names in certificates have no dot at the end.
    const to = { ...guard, host, servername: host.replace(/\.$/, ''), port: Number(url.port || 443) }
    const forget = () => {
      if (services.get(url.host) === service) services.delete(url.host)
    }
    const openOldOne = () =>
      openHttp1({
        ...to,
        connections: size.http1Connections,
        idleConnections: size.idleHttp1Connections,
        idleMs: size.idleMs,
        connectMs,
        bodyBytes,
        onHttp2: forget,
      })
    const origin = openOrigin({
      ...to,
      offerHttp1: true,
      onEvent,
      limits: {
        connections: size.connections,
        connectMs,
        bodyBytes,
        // DISPATCH_WINDOW already bounds how many requests wait, so this limit is the largest value that DISPATCH_WINDOW can have.
        queuedRequests: 100_000,
        // The longest pause between two attempts to connect. It can be this short, because push-hosts.ts keeps pushes away from a host that does not
        // answer.
        longestBackoffMs: 1_000,
      },
      onHttp1(socket) {
        service.http1 ??= openOldOne()
        service.http1.adopt(socket)
      },
    })
    const service: PushService = { origin, http1: undefined, running: 0, usedAt: 0 }
    return service
  }

  function serviceOf(url: URL): PushService {
    const known = services.get(url.host)
    if (known) services.delete(url.host)
    else if (services.size >= size.most) closeLeastUsed()
    const service = known ?? openService(url)
    services.set(url.host, service)
    sweeping ??= setInterval(sweep, sweepMs).unref()
    return service
  }

  /**
   * Closes the push service used longest ago, of those without a push on its way. If all have one, more than `size.most` stay open, but never more
   * than the window has places.
   */
  function closeLeastUsed(): void {
    for (const [host, service] of services) if (service.running === 0) return closeService(host, service)
  }

  function closeService(host: string, { origin, http1 }: PushService): void {
    services.delete(host)
    void origin.close()
    http1?.close()
  }

  function sweep(): void {
    const before = performance.now() - size.idleMs
    for (const [host, service] of services) {
      if (service.running === 0 && service.usedAt <= before) closeService(host, service)
    }
    if (services.size > 0) return
    clearInterval(sweeping)
    sweeping = undefined
  }

  async function send(request: PushRequest): Promise<Reply> {
    if (isClosed) return { is: 'unsent', reason: 'closed' }
    const service = serviceOf(request.url)
    service.running++
    try {
      return await sendTo(service, request)
    } finally {
      service.running--
      service.usedAt = performance.now()
    }
  }

  return {
    async send(request: PushRequest, isTrial: boolean): Promise<Reply> {
      if (isTrial || isConnected(services.get(request.url.host))) return send(request)
      const { appId } = request
      const gate = connecting.get(appId) ?? openGate(size.connectingPerApp)
      connecting.set(appId, gate)
      await gate.enter()
      try {
        return await send(request)
      } finally {
        gate.leave()
        if (gate.isEmpty) connecting.delete(appId)
      }
    },
    get open() {
      return services.size
    },
    async close() {
      isClosed = true
      clearInterval(sweeping)
      const all = [...services.values()]
      services.clear()
      await Promise.all(all.map(({ origin }) => origin.close()))
      for (const { http1 } of all) http1?.close()
    },
  }
}

const isConnected = (service: PushService | undefined): boolean =>
  service !== undefined && (service.http1 !== undefined || service.origin.stats.connections > 0)

async function sendTo(service: PushService, { url, head, more, body, timeoutMs }: PushRequest): Promise<Reply> {
  const path = url.pathname + url.search
  if (!service.http1) {
    const reply = await service.origin.request({ head, path, more, body, timeoutMs })
    // The push service may have chosen HTTP/1.1 while the request waited for the connection.
    if (!service.http1 || reply.is !== 'unsent' || reply.reason !== 'HTTP_1_1') return reply
  }
  const headers: Record<string, string> = { host: url.host }
  for (const [name, value] of [...head.fields, ...more]) headers[name] = value
  return service.http1.request({ path, headers, body, timeoutMs })
}
