import http2, { type ClientSessionOptions, type SecureClientSessionOptions } from 'node:http2'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { waitAtMost } from '@herald/service/wait-at-most'
import { deleteApp, initializeApp } from 'firebase-admin/app'
import { getMessaging, type Message } from 'firebase-admin/messaging'

/** What FCM answered to one message, before the library turns it into an error. */
export type FirebaseAnswer = { status: number; headers: Record<string, unknown>; data: unknown }
export type FirebaseResult = { answer: FirebaseAnswer } | { error: unknown }

/** Sends up to 500 messages in one call of the library, and calls `onResult` for each message as soon as its result is known. */
export type Firebase = {
  sendEach(messages: Message[], onResult: (place: number, result: FirebaseResult) => void): Promise<void>
  close(): Promise<void>
}

/**
 * Opens firebase-admin for one project, and changes what it has no options for; throws when an update has moved that. Each result is read when it
 * comes: the library's `sendEach` returns after the slowest.
 */
export function openFirebase(projectId: string, accessToken: () => Promise<string>, limitMs: number): Firebase {
  // The library is told that a token lives for 0 s, so it asks for one with every message and caches none. The only cache is Herald's, which can
  // forget a token that FCM refused.
  const credential = { getAccessToken: async () => ({ access_token: await accessToken(), expires_in: 0 }) }
  const app = initializeApp({ projectId, credential }, crypto.randomUUID())
  const messaging = getMessaging(app)
  const client = http2ClientOf(messaging)
  const send = client.send.bind(client)
  const watchers = new Map<string, (result: FirebaseResult) => void>()

  // No repeats: a 503 blocked the whole call for 4 s.
  client.retry = undefined
  client.send = (request) => {
    const watcher = watchers.get(keyOf(request.data.message)) ?? (() => undefined)
    // Herald's limit instead of 15 s.
    const answered = send({ ...request, timeout: limitMs })
    // Ends only requests that the library forgets to end, because this limit is 2 s longer than the limit that the library is given.
    const sending = waitAtMost(limitMs + 2_000, answered, throwNoAnswer)
    sending.then(
      // Reads `data` by `dataOf`, because reading it throws when the body is not JSON.
      (response) => watcher({ answer: { status: response.status, headers: response.headers, data: dataOf(response) } }),
      (error: unknown) => watcher(resultOfError(error)),
    )
    return sending
  }

  return {
    async sendEach(messages, onResult) {
      const told = new Set<number>()
      const tell = (place: number, result: FirebaseResult) => {
        if (told.has(place)) return
        told.add(place)
        onResult(place, result)
      }
      messages.forEach((message, place) => watchers.set(keyOf(message), (result) => tell(place, result)))
      try {
        const { responses } = await messaging.sendEach(messages)
        responses.forEach(({ error }, place) =>
          tell(place, error ? resultOfError(error) : { answer: { status: 200, headers: {}, data: {} } }),
        )
      } catch (error) {
        messages.forEach((_message, place) => tell(place, { error }))
      } finally {
        for (const message of messages) watchers.delete(keyOf(message))
      }
    },
    close: () => deleteApp(app),
  }
}

/** Names a message by its token and msgId, because the library copies messages. No call holds the same push twice. */
function keyOf(message: unknown): string {
  const { token, data } = message instanceof Object ? (message as { token?: unknown; data?: { msgId?: unknown } }) : {}
  return `${String(token)} ${String(data?.msgId)}`
}

type Request = { data: { message: unknown }; timeout: number }
type Http2Client = { send(request: Request): Promise<FirebaseAnswer>; retry: unknown }

function http2ClientOf(messaging: object): Http2Client {
  const handler: unknown = Reflect.get(messaging, 'messagingRequestHandler')
  const client: unknown = handler instanceof Object ? Reflect.get(handler, 'http2Client') : undefined
  if (!isHttp2Client(client)) throw new Error('firebase-admin is not as expected: its messaging has no http2Client with send and retry')
  return client
}

const isHttp2Client = (client: unknown): client is Http2Client =>
  client instanceof Object && 'retry' in client && typeof Reflect.get(client, 'send') === 'function'

/** Reads an error of the library. When FCM refused the push, the error carries FCM's response, as `response` or as `httpResponse`. */
function resultOfError(error: unknown): FirebaseResult {
  for (const name of ['response', 'httpResponse']) {
    const response: unknown = error instanceof Object ? Reflect.get(error, name) : undefined
    if (response instanceof Object && typeof Reflect.get(response, 'status') === 'number') {
      const { status, headers } = response as { status: number; headers?: Record<string, unknown> }
      return { answer: { status, headers: headers ?? {}, data: dataOf(response) } }
    }
  }
  return { error }
}

/** Gives a response's `data`; undefined when the body is not JSON, since reading `data` then throws. */
function dataOf(response: object): unknown {
  try {
    return Reflect.get(response, 'data')
  } catch {
    return undefined
  }
}

const throwNoAnswer = (): never => {
  throw Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })
}

const fcmHost = 'fcm.googleapis.com'
let redirected = false

/**
 * Sends firebase-admin's connections to FCM to another address, when FCM_URL is set. The library has no option for it, but connects through the
 * module object of node:http2.
 */
export function redirectFirebase(url: URL): void {
  if (redirected) throw new Error('FCM is redirected already')
  redirected = true
  const original = http2.connect
  const createConnection = () => {
    const { hostname: host, port } = url
    const servername = isIP(host) === 0 ? { servername: host } : {}
    return connect({ host, port: port === '' ? 443 : Number(port), ALPNProtocols: ['h2'], ...servername })
  }
  type SessionOptions = ClientSessionOptions | SecureClientSessionOptions
  type Listener = Parameters<typeof original>[2]
  const redirecting = (authority: string | URL, options?: SessionOptions | Listener, listener?: Listener) => {
    const given = typeof options === 'function' ? undefined : options
    const isFcm = new URL(authority).hostname === fcmHost
    const session = original(authority, isFcm ? { ...given, createConnection } : given, typeof options === 'function' ? options : listener)
    if (isFcm) {
      const request = session.request.bind(session)
      // firebase-admin sends the scheme as "https:", with a colon. Google accepts it; nghttp2, which Node's own server uses, resets the stream.
      session.request = (headers, about) => request(Object.assign({}, headers, { ':scheme': 'https' }), about)
    }
    return session
  }
  http2.connect = redirecting
}
