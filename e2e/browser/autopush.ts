import { createPublicKey, randomBytes, randomUUID, verify, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { atEnd } from '@herald/testing/at-end'
import { WebSocketServer, type WebSocket } from 'ws'

type Channel = { id: string; browser: string; applicationServerKey: string | undefined }
type Waiting = { topic: string | undefined; expiresAt: number; message: object }
/** A push that Herald posted, with what this push service answered. */
export type ReceivedPush = {
  endpoint: string
  status: number
  reason: string
  topic: string | undefined
  ttl: string | undefined
  bytes: number
}

/** A stand-in for autopush, Mozilla's push service. Browsers hold a WebSocket to it, and Herald posts pushes to its endpoints. */
export type Autopush = {
  /** The address that Firefox connects to, its preference `dom.push.serverURL`. */
  url: string
  pushes: ReceivedPush[]
  /** The ids ("versions") of the pushes that browsers acknowledged. */
  acknowledged: string[]
  /** Gives the number of subscriptions at the moment. */
  channels(): number
  /**
   * Disconnects all browsers and deletes their subscriptions. When a browser connects again it gets a new identity, so it drops its subscriptions and
   * makes them anew.
   */
  forgetBrowsers(): void
}

const maxWaiting = 100
const maxBody = 4_096

/**
 * Starts a push service with the simulator's certificate. Checks the headers of RFC 8030, and VAPID (RFC 8292) with the key that the browser named. A
 * push to a browser that is not connected waits until its ttl ends.
 */
export async function startAutopush(dataDir: string): Promise<Autopush> {
  const channels = new Map<string, Channel>()
  const connected = new Map<string, WebSocket>()
  const waiting = new Map<string, Waiting[]>()
  const forgotten = new Set<string>()
  const pushes: ReceivedPush[] = []
  const acknowledged: string[] = []
  const pem = (name: string) => readFileSync(join(dataDir, 'certificates', name))
  if (!new X509Certificate(pem('server.pem')).subjectAltName?.includes('localhost')) throw new Error('the certificate is not for localhost')

  const http = createServer()
  const sockets = new WebSocketServer({
    server: http,
    handleProtocols: (offered) => (offered.has('push-notification') ? 'push-notification' : false),
  })
  const endpoints = createSecureServer({ key: pem('server-key.pem'), cert: pem('server.pem'), allowHTTP1: true })
  const port = (server: { address(): unknown }) => (server.address() as AddressInfo).port
  await Promise.all([http, endpoints].map((server) => new Promise<void>((done) => server.listen(0, '127.0.0.1', done))))
  const origin = `https://localhost:${port(endpoints)}`

  sockets.on('connection', (socket) => {
    let browser = ''
    const send = (message: object) => socket.send(JSON.stringify(message))
    const on: Record<string, (message: Record<string, unknown>) => void> = {
      hello({ uaid }) {
        const known = typeof uaid === 'string' && uaid !== '' && !forgotten.has(uaid)
        browser = known ? uaid : randomBytes(16).toString('hex')
        connected.set(browser, socket)
        send({ messageType: 'hello', status: 200, uaid: browser, use_webpush: true, broadcasts: {} })
        const due = (waiting.get(browser) ?? []).filter(({ expiresAt }) => expiresAt >= Date.now())
        waiting.delete(browser)
        for (const { message } of due) send(message)
      },
      register({ channelID, key }) {
        const token = randomUUID()
        channels.set(token, { id: String(channelID), browser, applicationServerKey: typeof key === 'string' ? key : undefined })
        send({ messageType: 'register', status: 200, channelID, pushEndpoint: `${origin}/wpush/v2/${token}` })
      },
      unregister({ channelID }) {
        for (const [token, { id }] of channels) if (id === channelID) channels.delete(token)
        send({ messageType: 'unregister', status: 200, channelID })
      },
      ack({ updates }) {
        acknowledged.push(...(updates as { version: string }[]).map(({ version }) => version))
      },
      ping: () => send({}),
    }
    socket.on('message', (raw: Buffer) => {
      const message = JSON.parse(raw.toString()) as Record<string, unknown> & { messageType?: string }
      // In autopush's protocol an empty message is a ping.
      if (message.messageType === undefined) return send({})
      on[message.messageType]?.(message)
    })
    socket.on('close', () => connected.get(browser) === socket && connected.delete(browser))
  })

  /** Takes one push. Gives the HTTP status, and the reason when it is refused. */
  function take(path: string, headers: NodeJS.Dict<string | string[]>, body: Buffer): { status: number; reason: string } {
    const channel = channels.get(/^\/wpush\/v2\/([\w-]+)$/.exec(path)?.[1] ?? '')
    if (!channel) return { status: 410, reason: 'no such subscription' }
    const header = (name: string) => (typeof headers[name] === 'string' ? headers[name] : undefined)
    const ttl = header('ttl')
    if (ttl === undefined || !/^\d{1,10}$/.test(ttl)) return { status: 400, reason: 'TTL is missing or no number of seconds' }
    const topic = header('topic')
    if (topic !== undefined && !/^[\w-]{1,32}$/.test(topic)) return { status: 400, reason: 'Topic is not 1 to 32 letters of base64url' }
    const urgency = header('urgency')
    if (urgency !== undefined && !/^(very-low|low|normal|high)$/.test(urgency)) return { status: 400, reason: 'unknown Urgency' }
    if (body.length > 0 && header('content-encoding') !== 'aes128gcm') return { status: 400, reason: 'Content-Encoding must be aes128gcm' }
    if (body.length > maxBody) return { status: 413, reason: 'over 4096 bytes' }
    const wrong = whatIsWrongWithVapid(header('authorization'), origin, channel.applicationServerKey)
    if (wrong !== undefined) return { status: 401, reason: wrong }

    const message = {
      messageType: 'notification',
      channelID: channel.id,
      version: randomUUID(),
      ...(body.length > 0 && { data: body.toString('base64url'), headers: { encoding: 'aes128gcm' } }),
    }
    const socket = connected.get(channel.browser)
    if (socket?.readyState === 1) socket.send(JSON.stringify(message))
    else {
      const others = (waiting.get(channel.browser) ?? []).filter((other) => topic === undefined || other.topic !== topic)
      waiting.set(channel.browser, [...others, { topic, expiresAt: Date.now() + Number(ttl) * 1_000, message }].slice(-maxWaiting))
    }
    return { status: 201, reason: '' }
  }

  // One handler serves HTTP/2 and HTTP/1.1, because the request and response objects of both protocols have the same methods.
  endpoints.on('request', (request: Http2ServerRequest | IncomingMessage, response: Http2ServerResponse | ServerResponse) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const { status, reason } =
        request.method === 'POST' ? take(request.url ?? '', request.headers, body) : { status: 405, reason: 'POST only' }
      const { topic, ttl } = request.headers as Record<string, string | undefined>
      pushes.push({ endpoint: `${origin}${request.url}`, status, reason, topic, ttl, bytes: body.length })
      if (pushes.length > 10_000) pushes.shift()
      const end = response as ServerResponse
      end.writeHead(
        status,
        status === 201 ? { location: `${origin}/m/${randomUUID()}`, ttl: ttl ?? '0' } : { 'content-type': 'application/json' },
      )
      end.end(status === 201 ? '' : JSON.stringify({ code: status, error: reason }))
    })
  })

  const sessions = new Set<{ destroy(): void }>()
  endpoints.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
  })
  atEnd(() => {
    for (const socket of sockets.clients) socket.terminate()
    for (const session of sessions) session.destroy()
    http.close()
    endpoints.close()
  })
  return {
    url: `ws://127.0.0.1:${port(http)}/`,
    pushes,
    acknowledged,
    channels: () => channels.size,
    forgetBrowsers() {
      for (const browser of connected.keys()) forgotten.add(browser)
      for (const [token, { browser }] of channels) if (forgotten.has(browser)) channels.delete(token)
      for (const socket of sockets.clients) socket.terminate()
    },
  }
}

/** Gives what is wrong with the header `Authorization: vapid t=<JWT>, k=<key>`; undefined when nothing is. */
function whatIsWrongWithVapid(authorization: string | undefined, origin: string, expectedKey: string | undefined): string | undefined {
  const found = /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), ?k=([\w-]+)$/.exec(authorization ?? '')
  if (!found) return 'VAPID is missing or malformed'
  const [, header = '', claims = '', signature = '', key = ''] = found
  if (expectedKey !== undefined && Buffer.from(key, 'base64url').compare(Buffer.from(expectedKey, 'base64url')) !== 0)
    return 'VAPID key of another sender'
  const point = Buffer.from(key, 'base64url')
  if (point.length !== 65 || point[0] !== 4) return 'VAPID key is no point'
  const jwk = { kty: 'EC', crv: 'P-256', x: point.subarray(1, 33).toString('base64url'), y: point.subarray(33).toString('base64url') }
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isSigned) return 'VAPID signature is wrong'
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { aud?: string; exp?: number; sub?: string }
  const now = Date.now() / 1_000
  if (aud !== origin) return 'VAPID aud is another origin'
  if (exp === undefined || exp <= now || exp > now + 86_460) return 'VAPID exp is not within a day'
  if (sub === undefined || !/^(mailto:.+@|https:\/\/.)/.test(sub)) return 'VAPID sub is no address'
  return undefined
}
