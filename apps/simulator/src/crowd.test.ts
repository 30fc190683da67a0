import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { chooseKinds } from './crowd.ts'
import { givenSimulator, makeJwt, post, seconds } from './testing/simulator.ts'

type Made = { devices: { id: string; token: string; endpoint: string; keys: object }[] }

let simulator: Awaited<ReturnType<typeof givenSimulator>>
let herald: Server
let baseUrl: string
let received: { path: string; address: string; key: string; body: Record<string, string> }[] = []
let answer: (path: string) => { status: number; body: string }

beforeAll(async () => {
  simulator = await givenSimulator()
  herald = createServer((message, response) => {
    let text = ''
    message.on('data', (part: Buffer) => (text += part.toString()))
    message.on('end', () => {
      const { 'x-forwarded-for': address, 'x-app-key': key } = message.headers
      received.push({
        path: message.url ?? '',
        address: String(address),
        key: String(key),
        body: text ? (JSON.parse(text) as Record<string, string>) : {},
      })
      const { status, body } = answer(message.url ?? '')
      response.writeHead(status).end(body)
    })
  })
  await new Promise<void>((resolve) => herald.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(herald.address() as AddressInfo).port}`
})
afterAll(() => {
  herald.close()
  herald.closeAllConnections()
  simulator.stop()
})
beforeEach(() => {
  received = []
})

test('each device of the crowd registers from its own IP address, and the answer counts refusals', async () => {
  await simulator.ask('POST', '/accounts', { kind: 'apns', teamId: 'TEAM', keyId: 'KEY', bundleId: 'com.example.app' })
  const ios = (await simulator.ask<Made>('POST', '/devices', { platform: 'ios', count: 300 })).devices
  const web = (await simulator.ask<Made>('POST', '/devices', { platform: 'web' })).devices
  let made = 0
  answer = () => (made++ === 5 ? { status: 429, body: 'slow down' } : { status: 201, body: JSON.stringify({ id: `subscription-${made}` }) })
  const outcome = await simulator.ask('POST', '/crowd', { baseUrl: `${baseUrl}/`, appKey: 'pk_live_x', externalIdPrefix: 'user-' })
  expect(outcome).toMatchObject({ registered: 300, failed: 1, errors: [expect.stringContaining('429 slow down')] })
  expect(new Set(received.map(({ address }) => address)).size).toBe(301)
  expect(new Set(received.map(({ path, key }) => `${path} ${key}`))).toEqual(new Set(['/v1/subscriptions pk_live_x']))
  const bodies = received.map(({ body }) => body)
  expect(bodies).toContainEqual({ platform: 'ios', token: ios[7]?.token, externalId: `user-${ios[7]?.id}` })
  expect(bodies).toContainEqual({ platform: 'web', endpoint: web[0]?.endpoint, keys: web[0]?.keys, externalId: `user-${web[0]?.id}` })
})

test('the crowd reports pushes delivered and opened until that is turned off, and again after a 503', async () => {
  const account = { kind: 'apns', teamId: 'TEAM', keyId: 'KEY', bundleId: 'com.example.app' }
  const { privateKey } = await simulator.ask<{ privateKey: string }>('POST', '/accounts', account)
  const { devices } = await simulator.ask<Made>('POST', '/devices', { platform: 'ios', count: 10 })
  let refused = 0
  answer = () => (refused++ < 3 ? { status: 503, body: '' } : { status: 204, body: '' })
  await simulator.ask('PUT', '/crowd/reports', { baseUrl, delivered: 1, opened: 1, clicked: 0 })
  const session = simulator.session(simulator.addresses.apns)
  const headers = {
    authorization: `bearer ${makeJwt('ES256', privateKey, { iss: 'TEAM', iat: seconds() }, { kid: 'KEY' })}`,
    'apns-topic': 'com.example.app',
  }
  for (const { id, token } of devices)
    await post(session, `/3/device/${token}`, headers, JSON.stringify({ aps: {}, herald: { msgId: `to-${id}` } }))
  await expect.poll(() => simulator.ask('GET', '/crowd')).toMatchObject({ reported: { d: 10, o: 10, c: 0, x: 0 }, pending: 0, failed: 0 })
  const paths = received.map(({ path }) => path)
  expect(new Set(paths)).toEqual(new Set(devices.flatMap(({ id }) => [`/v1/e/d/to-${id}`, `/v1/e/o/to-${id}`])))
  expect(paths).toHaveLength(23)

  await simulator.ask('DELETE', '/crowd/reports')
  await post(session, `/3/device/${devices[0]?.token}`, headers, '{"aps":{},"herald":{"msgId":"unreported"}}')
  expect(await simulator.ask('GET', '/crowd')).toMatchObject({ pending: 0 })
})

test('with falling shares, opened pushes are also delivered, clicked ones opened, and none both opened and dismissed', () => {
  const shares = { delivered: 0.9, opened: 0.4, clicked: 0.1, dismissed: 0.2 }
  expect([0.05, 0.3, 0.5, 0.8, 0.95].map((luck) => chooseKinds(shares, luck).join(''))).toEqual(['doc', 'do', 'dx', 'd', ''])
})
