import type { KeyObject } from 'node:crypto'
import { mintVapidHeader } from '@herald/auth/provider-token'
import { endpointProblem, isNamed, type EndpointRule } from '@herald/contracts/destination'
import { webTopic } from '@herald/contracts/payload'
import { prepareHead, type PreparedHead } from '@herald/http2/client/head'
import type { OriginEvent } from '@herald/http2/client/origin'
import type { Reply } from '@herald/http2/client/reply'
import { blockedAddress, type Guard } from '@herald/service/guarded-connect'
import { LRUCache } from 'lru-cache'
import { retryAfterMs, type Answer } from '../core/answer.ts'
import { openPushHosts } from './push-hosts.ts'
import { answerOfReply } from './reply.ts'
import { answerLimitMs, tell, type Push, type Transport } from './transport.ts'
import { encryptPush } from './web-push/encryption.ts'
import { openPushServices, usualSizes, type PushRequest } from './web-push/push-services.ts'

/** A VAPID header is good for 12 of the 24 hours the standard allows (RFC 8292 2) and kept for 11. */
const headerSeconds = 12 * 3600
const headerKeptMs = 11 * 3_600_000

/** What an app sends web pushes with. */
export type VapidCredentials = { appId: string; subject: string; publicKey: string; privateKey: KeyObject }

/** The way to push services: its connections are the process's, its transports the apps'. */
export type WebPush = {
  forApp(credentials: VapidCredentials): Transport
  close(): Promise<void>
}

/** Sends web pushes (RFC 8030, 8188, 8291, 8292). Redirects are answers like any other. */
export function openWebPush(guard: Guard, rule: EndpointRule, onEvent?: (event: OriginEvent) => void): WebPush {
  const services = openPushServices(guard, usualSizes, onEvent)
  const hosts = openPushHosts()

  return {
    forApp({ appId, ...vapid }) {
      const headFor = openHeads(vapid)
      const send = async (push: Push): Promise<Answer> => {
        if (endpointProblem(push.address, rule) !== undefined) return { is: 'unsendable', why: 'address' }
        const url = new URL(push.address)
        const request = make(appId, push, url, headFor(url))
        if (!request) return { is: 'unsendable', why: 'keys' }
        const named = isNamed(push.address, rule)
        const entered = await hosts.enter({ appId, host: url.host, isNamed: named })
        if (entered.is === 'refused') return { is: 'unsent', reason: entered.reason }
        const answer = read(await services.send(request, { isNamed: named, isTrial: entered.isTrial }))
        entered.leave(wasThere(answer))
        return answer
      }
      return { send: (push, hear) => tell(send(push), hear), close: () => Promise.resolve() }
    },
    close: () => services.close(),
  }
}

/** What an app's pushes to one push service have in common. The VAPID header is signed once per push service and 11 hours: a signature is 100 µs. */
function openHeads(vapid: Omit<VapidCredentials, 'appId'>): (url: URL) => PreparedHead {
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

/** Undefined: the keys do not decode, there is no sending to this device. */
function make(appId: string, push: Push, url: URL, head: PreparedHead): PushRequest | undefined {
  const body = push.keys && encryptPush(push.keys, push.body)
  if (!body) return undefined
  const more = [
    ['ttl', String(push.ttlSeconds)],
    ['urgency', push.priority],
    ['topic', webTopic(push.collapseId ?? push.msgId)],
    ['content-length', String(body.length)],
  ] as const
  return { appId, url, head, more, body, timeoutMs: answerLimitMs }
}

/** Push services have no common reasons: the status says it all. */
function read(reply: Reply): Answer {
  if (reply.is === 'unsent' && reply.reason === blockedAddress) return { is: 'unsendable', why: 'address' }
  if (reply.is !== 'answered') return answerOfReply(reply)
  const retryAfter = retryAfterMs(reply.headers.get('retry-after'), new Date())
  return { is: 'answered', status: reply.status, reason: '', retryAfterMs: retryAfter, deadSince: null, environment: null }
}

/** Whether the host was there for a push. One that says it processed nothing (GOAWAY, REFUSED_STREAM) is busy or ending, not dead; and some pushes never ask. */
const wasThere = (answer: Answer): boolean | undefined =>
  answer.is === 'unsendable' || answer.is === 'refused' ? undefined : answer.is === 'answered'

/** The push service a push goes to: its origin in the window. */
export const hostOf = (endpoint: string): string => (URL.canParse(endpoint) ? new URL(endpoint).host : 'invalid')
