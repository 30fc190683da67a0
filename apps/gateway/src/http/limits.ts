import type { IncomingMessage, ServerResponse } from 'node:http'
import { fault } from '@herald/contracts/fault'
import { isObjectId } from '@herald/contracts/ids'
import type { VerifiedKey } from '../core/verified-key.ts'
import { addressBucket, clientAddress, type TrustedProxies } from '../core/client-address.ts'
import type { Allowance } from '../core/rate-limit.ts'
import { givesSecretKey } from './credentials.ts'
import type { Measures } from '../measures.ts'
import type { Route } from './route.ts'
import type { OpenLimit } from '../shared-limits.ts'

type LimitConfig = {
  SUBSCRIBE_RATE_LIMIT: number
  IDENTITY_RATE_LIMIT: number
  SEND_RATE_LIMIT: number
  EVENT_RATE_LIMIT: number
  DEVICE_RATE_LIMIT: number
  API_RATE_LIMIT: number
}

/**
 * Counts requests (spec: limits/rate-buckets). Every function but `bucketOf` throws the Fault rate_limited when its limit is reached; those of
 * limits that gateways share (shared-limits.ts) may reject with it.
 */
export type Limits = {
  /**
   * Counts a request by its client address, before the key is verified, on routes that take a public key and for events. With a secret key only the
   * limit `subscribe` counts here; otherwise `countKey` counts the request.
   */
  countAddress(route: Route, request: IncomingMessage, response: ServerResponse): Counted
  /**
   * Counts a request once its key is known to be allowed: by its secret key, or with a public key by its device. Routes limited by address only, and
   * the sends of a batch, are not counted here.
   */
  countKey(route: Route, about: { key: VerifiedKey; deviceId: string | undefined }, response: ServerResponse): Counted
  /** Counts one of the sends that a batch asks for. */
  countSend(key: VerifiedKey, response: ServerResponse): Counted
  /** Gives the key under which limits count the client address of a request. */
  bucketOf(request: IncomingMessage): string
}

type Counted = void | Promise<void>

/**
 * IDENTITY_RATE_LIMIT counts the requests of a client address, behind which a household or a small office may have this many devices. So a single
 * device may make a sixth of that many requests.
 */
const devicesPerAddress = 6
/** The same for DEVICE_RATE_LIMIT. Many phones share an address of a mobile network, and one device makes few requests. */
const phonesPerAddress = 20

export function openLimits(config: LimitConfig, trusted: TrustedProxies, measure: Measures, open: OpenLimit): Limits {
  const shareOf = (limit: number, many: number) => (limit === 0 ? 0 : Math.max(1, Math.floor(limit / many)))
  const buckets = {
    subscribe: open('subscribe', config.SUBSCRIBE_RATE_LIMIT),
    identity: open('identity', config.IDENTITY_RATE_LIMIT),
    'identity-of-device': open('identity-of-device', shareOf(config.IDENTITY_RATE_LIMIT, devicesPerAddress)),
    devices: open('devices', config.DEVICE_RATE_LIMIT),
    device: open('device', shareOf(config.DEVICE_RATE_LIMIT, phonesPerAddress)),
    event: open('event', config.EVENT_RATE_LIMIT),
    send: open('send', config.SEND_RATE_LIMIT),
    api: open('api', config.API_RATE_LIMIT),
  }
  type Name = keyof typeof buckets
  const count = (name: Name, key: () => string, response: ServerResponse): Counted => {
    const bucket = buckets[name]
    if (!bucket.isOn) return undefined
    const allowance = bucket.take(key())
    return allowance instanceof Promise ? allowance.then((one) => judge(name, one, response)) : judge(name, allowance, response)
  }
  const judge = (name: Name, { allowed, limit, remaining, resetSeconds }: Allowance, response: ServerResponse): void => {
    // When two limits count a request, the headers show the limit that has fewer requests left.
    const before = response.getHeader('RateLimit-Remaining')
    if (before === undefined || remaining <= Number(before)) {
      response.setHeader('RateLimit-Limit', limit)
      response.setHeader('RateLimit-Remaining', remaining)
      response.setHeader('RateLimit-Reset', resetSeconds)
    }
    if (allowed) return
    response.setHeader('Retry-After', resetSeconds)
    measure.rateLimited(name)
    throw fault('rate_limited', `Too many requests. Try again in ${resetSeconds} seconds.`)
  }
  const bucketOf = (request: IncomingMessage) => addressBucket(addressOf(request, trusted))
  return {
    bucketOf,
    countAddress(route, request, response) {
      const bucket = route.limit ?? (route.key === 'public' ? 'devices' : 'send')
      if (bucket === 'send' || bucket === 'sends') return undefined
      if ((bucket === 'identity' || bucket === 'devices') && givesSecretKey(request)) return undefined
      return count(bucket, () => bucketOf(request), response)
    },
    countKey(route, { key, deviceId }, response) {
      const { limit } = route
      if (limit === 'send') return count('send', () => key.keyId, response)
      if (limit !== undefined && limit !== 'identity') return undefined
      if (key.kind === 'secret') return count('api', () => key.keyId, response)
      if (deviceId === undefined || !isObjectId(deviceId)) return undefined
      return count(limit === undefined ? 'device' : 'identity-of-device', () => `${key.appId} ${deviceId}`, response)
    },
    countSend: (key, response) => count('send', () => key.keyId, response),
  }
}

const addressOf = ({ socket, headers }: IncomingMessage, trusted: TrustedProxies): string =>
  clientAddress(
    { peer: socket.remoteAddress, forwardedFor: joined(headers['x-forwarded-for']), realIp: joined(headers['x-real-ip']) },
    trusted,
  )

const joined = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header.join(',') : header)
