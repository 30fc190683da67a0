import type { KeyObject } from 'node:crypto'
import { mintVapidHeader } from '@herald/auth/provider-token'
import { webTopic } from '@herald/contracts/payload'
import { prepareHead, type HeadField, type PreparedHead } from '@herald/http2/client/head'
import { LRUCache } from 'lru-cache'
import { answerLimitMs, type Push } from '../provider.ts'
import { encryptPush } from './encryption.ts'
import type { PushRequest } from './push-services.ts'

/** A VAPID header says that it is valid for 12 hours, and is used for 11 (`headerKeptMs`). The standard allows up to 24 hours (RFC 8292 2). */
const headerSeconds = 12 * 3600
const headerKeptMs = 11 * 3_600_000

/** The credentials with which an app sends web pushes. */
export type VapidCredentials = { appId: string; subject: string; publicKey: string; privateKey: KeyObject }

/**
 * Makes and remembers the headers that an app's pushes to one push service have in common. The VAPID header is signed once in 11 hours for each push
 * service, because a signature takes 100 µs.
 */
export function openHeads(vapid: Omit<VapidCredentials, 'appId'>): (url: URL) => PreparedHead {
  const heads = new LRUCache<string, PreparedHead>({ max: 1_000, ttl: headerKeptMs })
  return ({ origin, host }) => {
    const known = heads.get(origin)
    if (known) return known
    const made = prepareHead({
      authority: host,
      fields: [
        ['authorization', mintVapidHeader({ origin, ...vapid, now: new Date(), ttlSeconds: headerSeconds })],
        ['content-type', 'application/octet-stream'],
        ['content-encoding', 'aes128gcm'],
      ],
    })
    heads.set(origin, made)
    return made
  }
}

/** Makes the request of a push. Gives undefined when the device's keys do not decode; then nothing can be sent to the device. */
export function make(appId: string, push: Push, url: URL, head: PreparedHead): PushRequest | undefined {
  const body = push.keys && encryptPush(push.keys, push.body)
  if (!body) return undefined
  return { appId, url, head, more: headersOf(push, url), body, timeoutMs: answerLimitMs }
}

/** Gives the header `Urgency` (RFC 8030, 5.3). A browser that saves its battery may take a `low` one later. */
export const urgencyOf = ({ priority, passive }: Pick<Push, 'priority' | 'passive'>): 'high' | 'normal' | 'low' =>
  priority === 'normal' && passive ? 'low' : priority

/**
 * Gives the headers of one push. A push without a collapseId has no `Topic`: Chrome keeps only a few topics for an offline browser
 * (webpush-protocol#62), and autopush orders stored messages by topic. `X-WNS-Cache-Policy`: see `isWindows`.
 */
export function headersOf(push: Push, url: URL): HeadField[] {
  const { ttlSeconds, collapseId } = push
  const headers: HeadField[] = [
    ['ttl', String(ttlSeconds)],
    ['urgency', urgencyOf(push)],
  ]
  if (collapseId !== null) headers.push(['topic', webTopic(collapseId)])
  if (ttlSeconds === 0 && isWindows(url)) headers.push(['x-wns-cache-policy', 'no-cache'])
  return headers
}

/**
 * Whether a push goes to Edge on Windows (WNS). WNS answers 400 "Ttl value conflicts with X-WNS-Cache-Policy" to a ttl of 0 unless the header says
 * `no-cache` (pywebpush#162, webpush-go#66).
 */
const isWindows = ({ hostname }: URL): boolean => /\.notify\.windows\.com\.?$/.test(hostname)
