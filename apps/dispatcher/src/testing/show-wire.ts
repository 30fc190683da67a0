// Sends one push per send and platform to an HTTP/2 server of Node's own, and prints what arrived: the program behind `npm run bench:wire`. It reads
// the sends as JSON and writes the requests as JSON.
import { randomBytes, createECDH } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureServer, type IncomingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { makeVapidPair, readVapidKey } from '@herald/auth/provider-token'
import type { FrozenSend, Recipient } from '@herald/contracts/batch'
import { platforms, type Platform } from '@herald/contracts/platform'
import { prepareSend } from '@herald/contracts/prepare-send'
import { makeServerCertificate } from '@herald/embedded/certificate'
import { openOrigin } from '@herald/http2/client/origin'
import type { Request } from '@herald/http2/client/stream'
import { make as makeApns, makeHeads } from '../providers/apns/request.ts'
import { make as makeFcm, makeHead } from '../providers/fcm/request.ts'
import { make as makeWebPush, openHeads } from '../providers/web-push/request.ts'
import type { Push } from '../providers/provider.ts'

/** `browser`: the host of the endpoint that the web push goes to. */
export type SendToShow = { name: string; send: Partial<FrozenSend>; browser: string }
/** What a provider got of a send; `skipped` when a browser gets nothing. A web push's body is shown as it was before it was encrypted. */
export type Shown = { name: string; platform: Platform } & ({ skipped: string } | { headers: Record<string, unknown>; body: unknown })

const campaignId = 'c'.repeat(24)
const msgId = `${'m'.repeat(160)}.${'s'.repeat(22)}`
const common = {
  ...{ campaignId, appId: 'a'.repeat(24), name: 'wire', transactional: true, silent: false, data: {}, ttl: 3_600 },
  ...{ collapseId: null, priority: 'high', presentation: null, bypass: {} },
  content: { _default: 'en', en: { title: 'Shipped', body: 'Your order is on its way' } },
} as const satisfies FrozenSend

const { ca, certificate, privateKey } = makeServerCertificate(new Date(), 2)
const arrived: IncomingHttpHeaders[] = []
const server = createSecureServer({ cert: certificate, key: privateKey })
server.on('stream', (stream, headers) => {
  arrived.push(headers)
  stream.resume().on('end', () => {
    stream.respond({ ':status': 200 })
    stream.end()
  })
})
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
const origin = openOrigin({ host: 'localhost', port: (server.address() as AddressInfo).port, ca })

const browserKeys = createECDH('prime256v1')
const keys = { p256dh: browserKeys.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') }
const vapidPair = makeVapidPair()
const { publicKey } = vapidPair
const heads = {
  ios: makeHeads('api.push.apple.com', 'org.example.app', 'token'),
  android: makeHead('fcm.googleapis.com', 'example-project', 'token'),
  web: openHeads({ subject: 'mailto:ops@example.org', publicKey, privateKey: readVapidKey(publicKey, vapidPair.privateKey) }),
}

function requestOf(platform: Platform, push: Push): Request {
  if (platform === 'ios') return makeApns(push, heads.ios)
  if (platform === 'android') return makeFcm(push, heads.android)
  const url = new URL(push.address)
  const request = makeWebPush('app', push, url, heads.web(url))
  if (!request) throw new Error('the browser’s keys do not decode')
  return { ...request, path: url.pathname }
}

async function show({ name, send: change, browser }: SendToShow, platform: Platform): Promise<Shown> {
  const send = { ...common, ...change }
  if (send.silent && platform === 'web') return { name, platform, skipped: 'silent_web' }
  const address = { ios: 'd'.repeat(64), android: 'registration-token', web: `https://${browser}/push/endpoint` }[platform]
  const recipient = { address, keys, environment: null, language: 'en', user: {}, tags: {}, subscription: {}, timezone: null }
  const encoded = prepareSend(send).payloadFor(platform, recipient as unknown as Recipient, '', msgId, send.ttl)
  if (!encoded?.ok) throw new Error(`${name}: no ${platform} push can be made`)
  const { collapseId, silent, priority, ttl: ttlSeconds } = send
  const push = { msgId, address, keys, environment: null, body: encoded.body, collapseId, silent, priority, ttlSeconds }
  const reply = await origin.request(requestOf(platform, { ...push, expiresAtSeconds: 2_000_000_000 }))
  if (reply.is !== 'answered') throw new Error(`${name}: ${platform} was not answered`)
  const { authorization: _, ...headers } = arrived.at(-1) ?? {}
  return { name, platform, headers: { ...headers }, body: JSON.parse(encoded.body.replaceAll(msgId, '<msgId>')) as unknown }
}

const shown: Shown[] = []
for (const one of JSON.parse(readFileSync(0, 'utf8')) as SendToShow[]) {
  for (const platform of platforms) shown.push(await show(one, platform))
}
process.stdout.write(JSON.stringify(shown))
await origin.close()
process.exit(0)
