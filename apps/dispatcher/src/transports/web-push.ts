import type { KeyObject } from 'node:crypto'
import { Agent, request, type RequestOptions } from 'node:https'
import { mintVapidHeader } from '@herald/auth/provider-token'
import { isAllowedEndpoint } from '@herald/contracts/destination'
import { webTopic } from '@herald/contracts/payload'
import { blockedAddress, guardedLookup } from '@herald/service/guarded-connect'
import { LRUCache } from 'lru-cache'
import webPush, { type RequestDetails } from 'web-push'
import { retryAfterMs, type Answer } from '../core/answer.ts'
import { answerOfFailure } from './failure.ts'
import { answerLimitMs, type Push, type Transport } from './transport.ts'

/** Who may be connected to. */
export type EndpointRule = { allowPrivate: boolean; hosts: readonly string[] | null }

/** A header is good for 12 of the 24 hours the standard allows (RFC 8292 2) and kept for 11. */
const headerSeconds = 12 * 3600
const headerKeptMs = 11 * 3_600_000
/** An answer's body says nothing we use; it is read so that the connection can be used again, up to this. */
const longestBody = 65_536

/** The connections of the process to all push services: without keep-alive each push would pay a TLS handshake. */
export const openWebPushAgent = (rule: EndpointRule): Agent =>
  new Agent({ keepAlive: true, maxSockets: 64, ...(rule.allowPrivate ? {} : { lookup: guardedLookup }) })

/**
 * Sends web pushes (RFC 8030, 8188, 8291, 8292). The web-push library encrypts and makes the request's headers; the request
 * is ours, because the library's own collects an answer of any length and knows no limit of time in all. The VAPID header
 * is signed once per push service (×2.1 measured), not per push. Redirects are answers like any other.
 */
export function openWebPush({
  subject,
  publicKey,
  privateKey,
  rule,
  agent,
}: {
  subject: string
  publicKey: string
  privateKey: KeyObject
  rule: EndpointRule
  agent: Agent
}): Transport {
  const headers = new LRUCache<string, string>({ max: 1_000, ttl: headerKeptMs })
  const authorizationFor = (origin: string): string => {
    const known = headers.get(origin)
    if (known) return known
    const minted = mintVapidHeader({ origin, subject, publicKey, privateKey, now: new Date(), ttlSeconds: headerSeconds })
    headers.set(origin, minted)
    return minted
  }

  return {
    async send(push) {
      if (!isAllowedEndpoint(push.address, rule)) return { is: 'unsendable', why: 'address' }
      const details = encrypt(push, authorizationFor(new URL(push.address).origin))
      if (!details) return { is: 'unsendable', why: 'keys' }
      return post(details, agent)
    },
    close: () => Promise.resolve(),
  }
}

/** Undefined: the keys do not decode, there is no sending to this device. */
function encrypt(push: Push, authorization: string): (RequestDetails & { body: Buffer }) | undefined {
  if (!push.keys) return undefined
  const options = {
    TTL: push.ttlSeconds,
    urgency: push.priority,
    topic: webTopic(push.collapseId ?? push.msgId),
    headers: { Authorization: authorization },
  }
  try {
    return webPush.generateRequestDetails({ endpoint: push.address, keys: push.keys }, push.body, options)
  } catch {
    return undefined
  }
}

function post({ endpoint, method, headers, body }: RequestDetails & { body: Buffer }, agent: Agent): Promise<Answer> {
  return new Promise((resolve) => {
    const options: RequestOptions = { method, headers, agent }
    const outgoing = request(endpoint, options, (response) => {
      let length = 0
      response.on('data', (chunk: Buffer) => {
        length += chunk.length
        if (length > longestBody) response.destroy()
      })
      response.on('error', () => undefined)
      resolve({
        is: 'answered',
        status: response.statusCode ?? 0,
        reason: '',
        retryAfterMs: retryAfterMs(response.headers['retry-after'], new Date()),
        deadSince: null,
        environment: null,
      })
    })
    let timer: NodeJS.Timeout | undefined
    // The time limit starts with the connection: waiting for one of the 64 is not the push service's doing.
    outgoing.on('socket', () => {
      timer = setTimeout(() => outgoing.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })), answerLimitMs)
    })
    outgoing.on('close', () => clearTimeout(timer))
    outgoing.on('error', (error) => {
      const code: unknown = Reflect.get(error, 'code')
      resolve(code === blockedAddress ? { is: 'unsendable', why: 'address' } : answerOfFailure(error))
    })
    outgoing.end(body)
  })
}

/** The push service a push goes to: its origin in the window. */
export const hostOf = (endpoint: string): string => (URL.canParse(endpoint) ? new URL(endpoint).host : 'invalid')
