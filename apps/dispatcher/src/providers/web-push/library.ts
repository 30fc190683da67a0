import { Agent, request, type RequestOptions } from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import { mintVapidHeader } from '@herald/auth/provider-token'
import { endpointProblem, isNamed, type EndpointRule } from '@herald/contracts/destination'
import { retryAfterMs } from '@herald/contracts/retry-after'
import { blockedAddress, type Guard } from '@herald/service/guarded-connect'
import { LRUCache } from 'lru-cache'
import webPush, { type RequestDetails } from 'web-push'
import { word, type Answer } from '../../core/answer.ts'
import { reasonOf } from './answers.ts'
import { answerOfFailure } from '../failure.ts'
import { answerLimitMs, tell, type Push, type Transport } from '../provider.ts'
import { openPushHosts, type PushHosts } from './push-hosts.ts'
import { headersOf, urgencyOf, type VapidCredentials } from './request.ts'
import type { WebPush } from './transport.ts'

/** A VAPID header says that it is valid for 12 hours, and is used for 11 (`headerKeptMs`). The standard allows up to 24 hours (RFC 8292 2). */
const headerSeconds = 12 * 3600
const headerKeptMs = 11 * 3_600_000
/** At most this many bytes of an answer's body are read. Herald does not use the body; it is read so that the connection can be used again. */
const longestBody = 65_536

/** The time limit for DNS, TCP and TLS together. It is shorter than the limit for an answer, since no byte of the push has been sent yet. */
const connectLimitMs = 5_000
/** A connection on which nothing is sent is closed after this time. */
const idleMs = 30_000

/**
 * The connections of the process to push services. Without keep-alive each push would need a TLS handshake. Trusted hosts (`isNamed`) have an agent of
 * their own, so that other hosts, however many, cannot take their idle connections.
 */
type Agents = { named: Agent; others: Agent; hosts: PushHosts; close(): void }

function openAgents(lookup: LookupFunction): Agents {
  const options = { keepAlive: true, maxSockets: 64, timeout: idleMs, lookup }
  const named = new Agent(options)
  // Keeps only one idle connection to each host that is not trusted, and for a shorter time, because devices may name thousands of made-up hosts.
  const others = new Agent({ ...options, maxSockets: 16, maxFreeSockets: 1, timeout: idleMs / 6 })
  const close = () => {
    named.destroy()
    others.destroy()
  }
  return { named, others, hosts: openPushHosts(), close }
}

/**
 * Sends web pushes (RFC 8030, 8188, 8291, 8292), without following redirects. The library encrypts; its requests are not used, because they read
 * answers of any length without a time limit.
 */
export function openWebPush(guard: Guard, rule: EndpointRule): WebPush {
  const agents = openAgents(guard.lookup)
  return {
    forApp: (credentials) => openForApp(credentials, rule, agents),
    close: () => Promise.resolve(agents.close()),
  }
}

function openForApp({ appId, subject, publicKey, privateKey }: VapidCredentials, rule: EndpointRule, agents: Agents): Transport {
  const headers = new LRUCache<string, string>({ max: 1_000, ttl: headerKeptMs })
  // Signed once for each push service: signing for each push made sending 2.1 times as slow.
  const authorizationFor = (origin: string): string => {
    const known = headers.get(origin)
    if (known) return known
    const minted = mintVapidHeader({ origin, subject, publicKey, privateKey, now: new Date(), ttlSeconds: headerSeconds })
    headers.set(origin, minted)
    return minted
  }

  const send = async (push: Push): Promise<Answer> => {
    if (endpointProblem(push.address, rule) !== undefined) return { is: 'unsendable', why: 'address' }
    const details = encrypt(push, authorizationFor(new URL(push.address).origin))
    if (!details) return { is: 'unsendable', why: 'keys' }
    const named = isNamed(push.address, rule)
    const entered = await agents.hosts.enter({ appId, host: new URL(push.address).host, isNamed: named })
    if (entered.is === 'refused') return { is: 'unsent', reason: entered.reason }
    const answer = await post(details, named ? agents.named : agents.others)
    entered.leave(answer.is === 'unsendable' ? undefined : answer.is === 'answered')
    return answer
  }
  return { send: (push, hear) => tell(send(push), hear), close: () => Promise.resolve() }
}

/** Encrypts a push. Gives undefined when the device's keys do not decode; then nothing can be sent to the device. */
function encrypt(push: Push, authorization: string): (RequestDetails & { body: Buffer }) | undefined {
  if (!push.keys) return undefined
  const headers = new Map(headersOf(push, new URL(push.address)).map(([name, value]) => [name, value]))
  const topic = headers.get('topic')
  for (const name of ['ttl', 'urgency', 'topic']) headers.delete(name)
  const options = {
    TTL: push.ttlSeconds,
    urgency: urgencyOf(push),
    ...(topic === undefined ? {} : { topic }),
    headers: { ...Object.fromEntries(headers), Authorization: authorization },
  }
  try {
    return webPush.generateRequestDetails({ endpoint: push.address, keys: push.keys }, push.body, options)
  } catch {
    return undefined
  }
}

/** The sockets whose TLS handshake is over. A request that gets such a socket from an earlier request gets no event that it is connected. */
const handshaken = new WeakSet<Socket>()

function post({ endpoint, method, headers, body }: RequestDetails & { body: Buffer }, agent: Agent): Promise<Answer> {
  return new Promise((resolve) => {
    const options: RequestOptions = { method, headers, agent }
    const outgoing = request(endpoint, options, (response) => {
      // A 101 and a status below 100 are no answers.
      if ((response.statusCode ?? 0) < 200) return void outgoing.destroy()
      let length = 0
      response.on('data', (chunk: Buffer) => {
        length += chunk.length
        if (length > longestBody) response.destroy()
      })
      response.on('error', () => undefined)
      resolve({
        is: 'answered',
        status: response.statusCode ?? 0,
        reason: reasonOf(response.statusCode ?? 0, new URL(endpoint).hostname),
        retryAfterMs: retryAfterMs(response.headers['retry-after'], new Date()),
        deadSince: null,
        environment: null,
      })
    })
    let timer: NodeJS.Timeout | undefined
    let connecting: NodeJS.Timeout | undefined
    let isConnected = false
    // The time limit starts when the request gets a connection: waiting for a free connection is not the push service's fault.
    outgoing.on('socket', (socket) => {
      timer = setTimeout(() => outgoing.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })), answerLimitMs)
      const connected = () => {
        handshaken.add(socket)
        isConnected = true
        clearTimeout(connecting)
      }
      if (handshaken.has(socket)) return connected()
      connecting = setTimeout(() => outgoing.destroy(new Error('not connected in time')), connectLimitMs)
      socket.once('secureConnect', connected)
    })
    outgoing.on('close', () => {
      clearTimeout(timer)
      clearTimeout(connecting)
      // After a 101 with the headers of an upgrade Node closes the connection and tells only this.
      resolve(answerOfFailure(undefined))
    })
    outgoing.on('error', (error) => {
      const code: unknown = Reflect.get(error, 'code')
      if (code === blockedAddress) resolve({ is: 'unsendable', why: 'address' })
      // The request never had a connection, so no byte of the push has been sent, whatever went wrong.
      else if (!isConnected) resolve({ is: 'unsent', reason: word(typeof code === 'string' ? code : 'no connection') })
      else resolve(answerOfFailure(error))
    })
    outgoing.end(body)
  })
}
