import { generateKeyPairSync } from 'node:crypto'
import type { ClientHttp2Session, OutgoingHttpHeaders } from 'node:http2'
import apn from '@parse/node-apn'
import { apnsId } from '@herald/contracts/push-identity'
import { retryAfterMs, word, type Answer, type Environment } from '../../core/answer.ts'
import { answerOfFailure } from '../failure.ts'
import { answerLimitMs, tell, type Line, type Push } from '../provider.ts'
import { deadSince } from './answers.ts'
import { collapseIdOf } from './request.ts'

/** node-apn signs provider tokens itself and wants a private key for it. Ours stays in the gateway, so it gets one of no use to anybody. */
let unusedKey: string | undefined
const keyOfNoUse = (): string =>
  (unusedKey ??= generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())

/** A connection that has not answered anything for this long while a push timed out is half open: the next push gets a new one. */
const silenceLimitMs = answerLimitMs
/** A server in trouble gets a new connection at most this often, not one per answer. */
const replaceEveryMs = 1_000

/** Opens (at the first push) one HTTP/2 connection to an environment of APNs with node-apn, for one app. */
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
    // An overloaded or stopping server is tried again on another connection.
    const isAiling = answer.is === 'answered' && answer.status >= 500
    if ((isSilent || isAiling) && used === line && now - openedAt >= replaceEveryMs) replace()
    return answer
  }
  return { send: (push, token, hear) => tell(send(push, token), hear), close: () => shutDown(line) }
}

/** The token object of node-apn, with a token that is handed in: it neither ages nor is it signed here. */
type LibraryToken = { generation: number; current: string; iat: null; regenerate(): void; isExpired(): boolean }
type LibraryLine = { provider: apn.Provider; token: LibraryToken }

function openLine(url: URL): LibraryLine {
  const options = {
    token: { key: keyOfNoUse(), keyId: 'unused', teamId: 'unused' },
    address: url.hostname,
    port: url.port === '' ? 443 : Number(url.port),
    requestTimeout: answerLimitMs,
    heartBeat: 30_000,
    // Its own repeats come at once and ignore Retry-After (one 429 became 4 requests in 13 ms); ours are rows with a due time.
    connectionRetryLimit: 0,
    // Node's default of 10 MB made 12,100 of 20,000 accepted pushes look failed (NGHTTP2_ENHANCE_YOUR_CALM).
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
  // The original waits for every stream of the session, so one hanging push held up the answer "500" of another for 10 s.
  // A closed session ends by itself with its last stream.
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

/** node-apn reads `headers['Retry-After']`, which Node writes in lower case, and drops it on the way out: it is put beside the failure. */
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

/** Takes no more pushes; what is in flight is still answered. */
const shutDown = ({ provider }: LibraryLine): Promise<void> => new Promise((resolve) => void provider.shutdown(resolve))

const accepted = (environment: Environment): Answer => ({
  is: 'answered',
  status: 200,
  reason: '',
  retryAfterMs: null,
  deadSince: null,
  environment,
})

/** node-apn's failure, as a value. With a status APNs answered; two reasons it keeps only in the error's message. */
function answerOf(failure: apn.ResponseFailure & { retryAfterHeader?: unknown }, environment: Environment): Answer {
  const { status, response, error } = failure
  if (typeof status === 'number') {
    const expired = error?.message.includes('ExpiredProviderToken') ? 'ExpiredProviderToken' : ''
    const asked = retryAfterMs(failure.retryAfterHeader, new Date())
    const since = deadSince(response?.timestamp)
    return { is: 'answered', status, reason: word(response?.reason ?? expired), retryAfterMs: asked, deadSince: since, environment }
  }
  if (error?.message.startsWith('apn write timeout')) return { is: 'unanswered', why: 'timeout', reason: '' }
  // Node could not put the HEADERS (type 1) on a session that is going away: the request never left.
  if (error?.message.startsWith('Request frame error: (frameType: 1,')) return { is: 'refused', reason: 'HEADERS not sent' }
  if (error?.message.startsWith('client is destroyed')) return { is: 'refused', reason: 'closed' }
  // Without `error` the failure is the thrown error itself, spread into an object: the session was closing.
  return answerOfFailure(error ?? failure)
}

/** Background pushes have priority 5, expiration 0 is now or never. */
function notificationOf(push: Push, topic: string): apn.Notification {
  const notification = new apn.Notification()
  notification.topic = topic
  notification.id = apnsId(push.msgId)
  notification.pushType = push.silent ? 'background' : 'alert'
  notification.priority = push.silent || push.priority === 'normal' ? 5 : 10
  notification.expiry = push.ttlSeconds === 0 ? 0 : push.expiresAtSeconds
  const collapseId = collapseIdOf(push, notification.id)
  if (collapseId !== null) notification.collapseId = collapseId
  // The library stringifies `rawPayload`; the JSON is at hand already, measured and cut to size.
  return Object.assign(notification, { compiled: push.body })
}
