import { generateKeyPairSync } from 'node:crypto'
import type { ClientHttp2Session, OutgoingHttpHeaders } from 'node:http2'
import { retryAfterMs } from '@herald/contracts/retry-after'
import apn from '@parse/node-apn'
import { apnsId } from '@herald/contracts/push-identity'
import { word, type Answer, type Environment } from '../../core/answer.ts'
import { answerOfFailure } from '../failure.ts'
import { answerLimitMs, tell, type Line, type Push } from '../provider.ts'
import { deadSince } from './answers.ts'
import { collapseIdOf, topicOf } from './request.ts'

/**
 * A private key that signs nothing that is sent. node-apn insists on a key because it signs provider tokens itself, and the app's key stays in the
 * gateway.
 */
let unusedKey: string | undefined
const keyOfNoUse = (): string =>
  (unusedKey ??= generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())

/** A connection that has given no answer for this long counts as dead once a push on it has timed out. The next push gets a new connection. */
const silenceLimitMs = answerLimitMs
/** While APNs answers 5xx or nothing, its connection is replaced at most this often, and not once for each push. */
const replaceEveryMs = 1_000

/** Prepares one HTTP/2 connection to an environment of APNs with node-apn, for one app. The first push opens the connection. */
export function openApnsLine(url: URL, environment: Environment, topic: string): Line {
  let line = openLine(url)
  let openedAt = performance.now()
  let lastAnswerAt = openedAt

  const replace = () => {
    const old = line
    line = openLine(url)
    openedAt = performance.now()
    lastAnswerAt = openedAt
    void shutDown(old)
  }

  const send = async (push: Push, token: string): Promise<Answer> => {
    const used = line
    used.token.current = token
    const { failed } = await used.provider.send(notificationOf(push, topic), push.address)
    const answer = failed[0] ? answerOf(failed[0], environment) : accepted(environment)
    const now = performance.now()
    if (answer.is === 'answered' && used === line) lastAnswerAt = now
    const isSilent = answer.is === 'unanswered' && answer.why === 'timeout' && now - lastAnswerAt >= silenceLimitMs
    // After a 5xx, from an overloaded or stopping server, the next push goes over another connection.
    const isAiling = answer.is === 'answered' && answer.status >= 500
    if ((isSilent || isAiling) && used === line && now - openedAt >= replaceEveryMs) replace()
    return answer
  }
  return { send: (push, token, hear) => tell(send(push, token), hear), close: () => shutDown(line) }
}

/** Replaces the token object of node-apn. This file sets `current`, the provider token, so node-apn neither signs a token nor lets one expire. */
type LibraryToken = { generation: number; current: string; iat: null; regenerate(): void; isExpired(): boolean }
type LibraryLine = { provider: apn.Provider; token: LibraryToken }

function openLine(url: URL): LibraryLine {
  const options = {
    token: { key: keyOfNoUse(), keyId: 'unused', teamId: 'unused' },
    address: url.hostname,
    port: url.port === '' ? 443 : Number(url.port),
    requestTimeout: answerLimitMs,
    heartBeat: 30_000,
    // Switches the library's repeats off, because it repeats a push at once and ignores Retry-After: one 429 became 4 requests in 13 ms. Herald
    // itself repeats a push, when its row is due.
    connectionRetryLimit: 0,
    // The limit of a session's memory, in MB. With Node's default of 10 MB, 12,100 of 20,000 pushes that APNs had accepted looked failed
    // (NGHTTP2_ENHANCE_YOUR_CALM).
    maxSessionMemory: 1000,
  }
  const provider = new apn.Provider(options)
  const token: LibraryToken = { generation: 0, current: '', iat: null, regenerate: () => undefined, isExpired: () => false }
  const client: unknown = Reflect.get(provider, 'client')
  const config: unknown = client instanceof Object ? Reflect.get(client, 'config') : undefined
  if (!isClient(client) || !(config instanceof Object) || !('token' in config)) {
    throw new Error('node-apn is not as expected: its client has no config.token, request and closeAndDestroySession')
  }
  Reflect.set(config, 'token', token)
  client.request = tellingRetryAfter(client.request.bind(client))
  // Replaces a function that waits for every stream of the session: with it one hanging push held up the answer "500" of another push for 10 s. A
  // closed session ends by itself with its last stream.
  client.closeAndDestroySession = (session) => {
    session?.close()
    return Promise.resolve()
  }
  return { provider, token }
}

type Requests = Pick<ClientHttp2Session, 'request'>
type Client = {
  request(session: Requests, ...about: unknown[]): Promise<unknown>
  closeAndDestroySession(session?: ClientHttp2Session): Promise<void>
}
const isClient = (client: unknown): client is Client =>
  client instanceof Object && typeof Reflect.get(client, 'request') === 'function' && 'closeAndDestroySession' in client

/** Adds `Retry-After` to the failure of a request. node-apn looks for the header's name in capitals, while Node writes names in lower case. */
const tellingRetryAfter =
  (request: Client['request']): Client['request'] =>
  async (session, ...about) => {
    let header: unknown
    const listening: Requests = {
      request(headers?: OutgoingHttpHeaders) {
        const stream = session.request(headers)
        stream.once('response', (response) => (header = response['retry-after']))
        return stream
      },
    }
    return request(listening, ...about).catch((failure: object) => {
      throw Object.assign(failure, { retryAfterHeader: header })
    })
  }

/** Stops taking pushes. Pushes in flight are still answered. */
const shutDown = ({ provider }: LibraryLine): Promise<void> => new Promise((resolve) => void provider.shutdown(resolve))

const accepted = (environment: Environment): Answer => ({
  is: 'answered',
  status: 200,
  reason: '',
  retryAfterMs: null,
  deadSince: null,
  environment,
})

/** Reads node-apn's failure of a push. A failure with a status is APNs' answer. The reason ExpiredProviderToken is only in the error's message. */
function answerOf(failure: apn.ResponseFailure & { retryAfterHeader?: unknown }, environment: Environment): Answer {
  const { status, response, error } = failure
  if (typeof status === 'number') {
    const expired = error?.message.includes('ExpiredProviderToken') ? 'ExpiredProviderToken' : ''
    const asked = retryAfterMs(failure.retryAfterHeader, new Date())
    const since = deadSince(response?.timestamp)
    return { is: 'answered', status, reason: word(response?.reason ?? expired), retryAfterMs: asked, deadSince: since, environment }
  }
  if (error?.message.startsWith('apn write timeout')) return { is: 'unanswered', why: 'timeout', reason: '' }
  // Node could not send the HEADERS frame (type 1) on a session that is closing, so no byte of the request left this process.
  if (error?.message.startsWith('Request frame error: (frameType: 1,')) return { is: 'refused', reason: 'HEADERS not sent' }
  if (error?.message.startsWith('client is destroyed')) return { is: 'refused', reason: 'closed' }
  // A failure without `error` is the thrown error itself, copied into an object: the session was closing.
  return answerOfFailure(error ?? failure)
}

/** Makes node-apn's notification of a push. A background push has priority 5. Expiration 0 means that APNs delivers the push now or never. */
function notificationOf(push: Push, topic: string): apn.Notification {
  const notification = new apn.Notification()
  notification.topic = topicOf(push, topic)
  notification.id = apnsId(push.msgId)
  notification.pushType = push.isActivity ? 'liveactivity' : push.silent ? 'background' : 'alert'
  notification.priority = (push.silent && !push.isActivity) || push.priority === 'normal' ? 5 : 10
  notification.expiry = push.ttlSeconds === 0 ? 0 : push.expiresAtSeconds
  const collapseId = collapseIdOf(push, notification.id)
  if (collapseId !== null) notification.collapseId = collapseId
  // The library would make the JSON from `rawPayload`. Herald's JSON is ready by now, and cut to the allowed size.
  return Object.assign(notification, { compiled: push.body })
}
