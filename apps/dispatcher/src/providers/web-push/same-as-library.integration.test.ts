import { createECDH, randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { makeVapidPair, readVapidKey } from '@herald/auth/provider-token'
import { guardBy, resolveByHostsFile } from '@herald/service/guarded-connect'
import { atEnd } from '@herald/testing/at-end'
import { expect, test } from 'vitest'
import { startPushService, type ArrivedRequest } from '../../testing/start-push-service.ts'
import { openWebPush as openLibrary } from './library.ts'
import { answerOf, type Push, type Transport } from '../provider.ts'
import { openWebPush as openOwn, type WebPush } from './transport.ts'

/** Sends the same pushes by Herald's transport and by the library's to Node's own servers, over HTTP/2 and HTTP/1.1. */

const vapid = makeVapidPair()
const browser = createECDH('prime256v1')
const keys = { p256dh: browser.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') }
type ContentEncoding = { decrypt(body: Buffer, options: { version: string; privateKey: unknown; authSecret: string }): Buffer }
const contentEncoding = createRequire(createRequire(import.meta.url).resolve('web-push'))('http_ece') as ContentEncoding

function givenTransport(open: typeof openOwn) {
  const rule = { allowPrivate: true, hosts: [] }
  const webPush: WebPush = open(
    guardBy(
      resolveByHostsFile(() => Promise.reject(new Error('unknown'))),
      rule,
    ),
    rule,
  )
  atEnd(() => webPush.close())
  const privateKey = readVapidKey(vapid.publicKey, vapid.privateKey)
  return webPush.forApp({ appId: 'app', subject: 'mailto:ops@example.com', publicKey: vapid.publicKey, privateKey })
}

const sendBy = (transport: Transport, push: Push) => answerOf((hear) => transport.send(push, hear))

const pushTo = (address: string, change: Partial<Push> = {}): Push => ({
  msgId: 'bWVzc2FnZQ.AAAAAAAAAAAAAAAAAAAAAA',
  address,
  keys,
  environment: null,
  body: '{"title":"T","body":"Olá 📦"}',
  collapseId: null,
  silent: false,
  priority: 'high',
  ttlSeconds: 60,
  expiresAtSeconds: Math.floor(Date.now() / 1000) + 60,
  ...change,
})

/** Gives the parts of a request that must be equal for the same push: all but key pair, salt, signature and what depends on the version of HTTP. */
function meant({ method, path, headers, body }: ArrivedRequest) {
  const { authorization = '', host, ':authority': authority, ...others } = headers
  const shown = Object.entries(others).filter(([name]) => name !== 'connection' && !name.startsWith(':'))
  const [, token = '', key] = /^vapid t=([^,]*), k=(.*)$/.exec(authorization) ?? []
  const [header, claims] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString())
  const { exp, ...claimed } = JSON.parse(claims ?? '{}') as { exp: number }
  const text = contentEncoding.decrypt(body, { version: 'aes128gcm', privateKey: browser, authSecret: keys.auth }).toString()
  const hoursLeft = Math.round((exp - Date.now() / 1000) / 360) / 10
  const [recordSize, bytes] = [body.readUInt32BE(16), body.length]
  return { method, path, host: host ?? authority, ...Object.fromEntries(shown), header, claimed, hoursLeft, key, text, recordSize, bytes }
}

const pushes: ((origin: string) => Push)[] = [
  (origin) => pushTo(`${origin}/201`),
  (origin) => pushTo(`${origin}/push/201?a=b%20c&d=%7C#fragment`, { priority: 'normal', ttlSeconds: 0 }),
  (origin) => pushTo(`${origin}/201/ü/{x}`, { collapseId: 'order 17 – a collapse id that is no topic', ttlSeconds: 2_419_200 }),
  (origin) => pushTo(`${origin}/201`, { collapseId: 'order-17', body: JSON.stringify({ title: 'x'.repeat(3_800) }) }),
  (origin) => pushTo(`${origin}/307`),
  (origin) => pushTo(`${origin}/429`),
  (origin) => pushTo(`${origin}/410`),
]

test.each(['h2', 'http/1.1'] as const)(
  'a push service that offers %s gets the same from Herald and library, and both read it alike',
  async (protocol) => {
    const service = await startPushService(protocol)
    const [own, library] = [givenTransport(openOwn), givenTransport(openLibrary)]
    for (const push of pushes) {
      const answers = [await sendBy(own, push(service.origin)), await sendBy(library, push(service.origin))]
      expect(answers[0]).toEqual(answers[1])
      const [ours, theirs, ...more] = service.arrived.splice(0)
      if (!ours || !theirs) throw new Error('one did not arrive')
      // A redirect is read as an answer, so nothing was sent after it.
      expect(more).toEqual([])
      expect(ours.version).toBe(protocol === 'h2' ? '2.0' : '1.1')
      expect(meant(ours)).toEqual(meant(theirs))
    }
    // Each of the two transports has one connection, in either version of HTTP.
    expect(service.handshakes()).toBe(2)
  },
)

test.each(['h2', 'http/1.1'] as const)('300 pushes sent at once over %s arrive once each, by at most 64 connections', async (protocol) => {
  const service = await startPushService(protocol)
  const own = givenTransport(openOwn)
  const mostConnections = protocol === 'h2' ? 10 : 64
  const paths: string[] = []
  const sendAtOnce = async (count: number) => {
    const added = Array.from({ length: count }, (_, no) => `/201?${paths.length + no}`)
    paths.push(...added)
    const answers = await Promise.all(added.map((path) => sendBy(own, pushTo(service.origin + path))))
    expect(new Set(answers.map((answer) => answer.is === 'answered' && answer.status))).toEqual(new Set([201]))
  }

  // The number of pushes at once grows by eight each time. On a busy machine 64 handshakes at once take longer than the 5 s that one may take.
  for (let count = 8; count < mostConnections; count += 8) await sendAtOnce(count)
  await sendAtOnce(300)

  expect(service.arrived.map(({ path }) => path).toSorted()).toEqual(paths.toSorted())
  expect(service.handshakes()).toBeLessThanOrEqual(mostConnections)
})
