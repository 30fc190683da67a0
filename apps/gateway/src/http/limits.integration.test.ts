import { mintMessageId } from '@herald/auth/message-id'
import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { expect, test } from 'vitest'
import type { Told } from '../testing/ask.ts'
import { hmacSecret, startGateway } from '../testing/start-gateway.ts'
import { startPeers } from '../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
await startPeers(nats)
const start = (settings: Record<string, string>) => startGateway({ database: url('gateway'), nats }, settings)
const phone = { platform: 'ios', token: 'abc123' }
const everyone = { target: { all: true }, silent: true }

/**
 * Runs a test. When the test fails and a minute of the clock ended meanwhile, it runs again: the windows of rate limits are these minutes, so its
 * counts began anew.
 */
async function withinOneWindow(test: () => Promise<void>): Promise<void> {
  const window = () => Math.floor(performance.now() / 60_000)
  for (;;) {
    const begun = window()
    try {
      return await test()
    } catch (error) {
      if (window() === begun) throw error
    }
  }
}

const expectLimited = (told: Told) => {
  expect(told).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } }, headers: { 'ratelimit-remaining': '0' } })
  const seconds = Number(told.headers['retry-after'])
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(60)
  expect(told.body.error?.message).toContain(`${seconds} seconds`)
}

// spec: limits/rate-buckets, limits/rate-headers, limits/order-of-checks
test('registrations are limited by client address, before the API key is checked, and answers say how many are left', async () => {
  await withinOneWindow(async () => {
    const gateway = await start({ SUBSCRIBE_RATE_LIMIT: '3' })
    const { publicKey } = await gateway.givenApp()
    const register = (address: string, key = publicKey) =>
      gateway.ask({ method: 'POST', path: '/v1/subscriptions', headers: { 'x-app-key': key, 'x-forwarded-for': address }, body: phone })

    const first = await register('203.0.113.1')
    expect(first.headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '2' })
    expect((await register('203.0.113.1, 198.51.100.1')).status).toBe(200)
    expect((await register('203.0.113.1', 'wrong')).status).toBe(401)
    expectLimited(await register('203.0.113.1'))
    expectLimited(await register('203.0.113.1', 'wrong'))
    expect((await register('203.0.113.2')).status).toBe(200)
  })
})

// spec: limits/client-address
test('a client that is no trusted proxy cannot get around a rate limit with x-forwarded-for or x-real-ip', async () => {
  await withinOneWindow(async () => {
    const gateway = await start({ SUBSCRIBE_RATE_LIMIT: '3', TRUSTED_PROXIES: '192.0.2.0/24' })
    const { publicKey } = await gateway.givenApp()
    const told: number[] = []
    for (const n of Array(5).keys()) {
      const headers = { 'x-app-key': publicKey, 'x-forwarded-for': `203.0.113.${n}`, 'x-real-ip': `203.0.113.${n}` }
      told.push((await gateway.ask({ method: 'POST', path: '/v1/subscriptions', headers, body: phone })).status)
    }
    expect(told).toEqual([200, 200, 200, 429, 429])
  })
})

// spec: limits/rate-buckets
test('sends are limited by API key: another key of the same app has a limit of its own', async () => {
  await withinOneWindow(async () => {
    const gateway = await start({ SEND_RATE_LIMIT: '2' })
    const { appId, secretKey } = await gateway.givenApp()
    const second = String((await gateway.admin('POST', `/apps/${appId}/keys`, { kind: 'secret', name: 'second' })).body['key'])
    const send = (key: string) =>
      gateway.ask({ method: 'POST', path: '/v1/notifications', headers: { authorization: `Bearer ${key}` }, body: everyone })

    expect([(await send(secretKey)).status, (await send(secretKey)).status]).toEqual([202, 202])
    expectLimited(await send(secretKey))
    expect((await send(second)).status).toBe(202)
  })
})

// spec: limits/rate-buckets
test('reports of devices from one client address are limited', async () => {
  await withinOneWindow(async () => {
    const gateway = await start({ EVENT_RATE_LIMIT: '2' })
    const ids = { appId: newId(), campaignId: newId(), userId: newId(), subscriptionId: newId() }
    const msgId = mintMessageId(hmacSecret, { ...ids, platform: 'web', variant: 'a' })
    const track = () => gateway.ask({ method: 'POST', path: `/v1/e/d/${msgId}` })

    expect([(await track()).status, (await track()).status]).toEqual([204, 204])
    expectLimited(await track())
  })
})

// spec: limits/rate-buckets, limits/rate-window
test('API_RATE_LIMIT limits the other requests of a key, and a rate limit of 0 is no limit', async () => {
  await withinOneWindow(async () => {
    const limited = await start({ API_RATE_LIMIT: '1' })
    const { secretKey } = await limited.givenApp()
    const read = () => limited.ask({ path: `/v1/campaigns/${newId()}/stats`, headers: { authorization: `Bearer ${secretKey}` } })
    expect((await read()).status).toBe(404)
    expectLimited(await read())

    const unlimited = await start({ API_RATE_LIMIT: '0', SUBSCRIBE_RATE_LIMIT: '0' })
    const { publicKey } = await unlimited.givenApp()
    const told = await unlimited.ask({ method: 'POST', path: '/v1/subscriptions', headers: { 'x-app-key': publicKey }, body: phone })
    expect(told.headers['ratelimit-limit']).toBeUndefined()
  })
})

// spec: limits/rate-buckets
test('public keys’ logins, logouts and user changes are limited by client address, before the key is checked', async () => {
  await withinOneWindow(async () => {
    const gateway = await start({ IDENTITY_RATE_LIMIT: '3' })
    const { publicKey, secretKey } = await gateway.givenApp()
    const asks = {
      login: { path: 'login', body: { externalId: 'ann' } },
      logout: { path: 'logout' },
      change: { path: 'user', body: { language: 'de' } },
    }
    const ask = (what: keyof typeof asks, address: string, headers: Record<string, string> = { 'x-app-key': publicKey }) => {
      const { path, ...body } = asks[what]
      const at = `/v1/subscriptions/${newId()}/${path}`
      return gateway.ask({ method: 'POST', path: at, headers: { ...headers, 'x-forwarded-for': address }, ...body })
    }
    const first = await ask('login', '203.0.113.1')
    expect(first).toMatchObject({ status: 200, headers: { 'ratelimit-limit': '1', 'ratelimit-remaining': '0' } })
    expect((await ask('logout', '203.0.113.1')).status).toBe(200)
    expect((await ask('change', '203.0.113.1', { 'x-app-key': 'wrong' })).status).toBe(401)
    for (const what of ['login', 'logout', 'change'] as const) expectLimited(await ask(what, '203.0.113.1'))
    expect((await ask('login', '203.0.113.2')).status).toBe(200)

    const withSecret = { authorization: `Bearer ${secretKey}` }
    for (const _ of Array(5)) {
      const told = await ask('login', '203.0.113.1', withSecret)
      expect(told.status).toBe(200)
      expect(told.headers['ratelimit-limit']).toBe('12000')
    }
    // A text that only has the form of a secret key is not limited, but it is refused with 401.
    const wrongKey = `${secretKey.slice(0, -1)}${secretKey.endsWith('A') ? 'E' : 'A'}`
    expect((await ask('login', '203.0.113.1', { authorization: `Bearer ${wrongKey}` })).status).toBe(401)
  })
})

// spec: limits/rate-buckets
test('one device may use a sixth of the limit of logins, logouts and changes, from any addresses', async () => {
  await withinOneWindow(async () => {
    const gateway = await start({ IDENTITY_RATE_LIMIT: '12' })
    const { publicKey } = await gateway.givenApp()
    const [device, other] = [newId(), newId()]
    const login = (id: string, no: number) =>
      gateway.ask({
        method: 'POST',
        path: `/v1/subscriptions/${id}/login`,
        headers: { 'x-app-key': publicKey, 'x-forwarded-for': `203.0.113.${no}` },
        body: { externalId: `person-${no}` },
      })
    expect((await login(device, 1)).headers).toMatchObject({ 'ratelimit-limit': '2', 'ratelimit-remaining': '1' })
    expect((await login(device, 2)).status).toBe(200)
    expectLimited(await login(device, 3))
    expect((await login(other, 3)).status).toBe(200)
  })
})

// spec: limits/rate-buckets
test('a public key’s other device routes are limited by address and by device, a secret key’s are not', async () => {
  await withinOneWindow(async () => {
    const gateway = await start({ DEVICE_RATE_LIMIT: '60' })
    const { publicKey, secretKey } = await gateway.givenApp()
    const device = newId()
    const routes = [
      ['PATCH', `/v1/subscriptions/${device}`, { appVersion: '1.0' }],
      ['POST', `/v1/subscriptions/${device}/session`, {}],
      ['DELETE', `/v1/subscriptions/${device}`, undefined],
    ] as const
    const ask = (no: number, address: string, headers: Record<string, string>) => {
      const [method, path, body] = routes[no % routes.length] ?? routes[0]
      return gateway.ask({ method, path, headers: { ...headers, 'x-forwarded-for': address }, ...(body && { body }) })
    }
    // A twentieth of 60 for one device, from however many addresses.
    for (const no of [0, 1, 2]) expect((await ask(no, `203.0.113.${no}`, { 'x-app-key': publicKey })).status).toBeLessThan(300)
    for (const no of [0, 1, 2]) expectLimited(await ask(no, `203.0.113.${no}`, { 'x-app-key': publicKey }))
    for (const no of [0, 1, 2]) expect((await ask(no, '203.0.113.9', { authorization: `Bearer ${secretKey}` })).status).toBeLessThan(300)

    const statuses: number[] = []
    for (let no = 0; no < 61; no += 1) statuses.push((await ask(no, '198.51.100.1', { 'x-app-key': 'wrong' })).status)
    expect(new Set(statuses.slice(0, 60))).toEqual(new Set([401]))
    expect(statuses[60]).toBe(429)
  })
})

// spec: limits/client-address
test('behind an appending proxy, a client’s own x-forwarded-for gains nothing once TRUSTED_PROXIES names the proxy', async () => {
  await withinOneWindow(async () => {
    const gateway = await start({ SUBSCRIBE_RATE_LIMIT: '3', TRUSTED_PROXIES: '127.0.0.0/8' })
    const { publicKey } = await gateway.givenApp()
    const register = (invented: string, client: string) =>
      gateway.ask({
        method: 'POST',
        path: '/v1/subscriptions',
        headers: { 'x-app-key': publicKey, 'x-forwarded-for': `${invented}, ${client}` },
        body: phone,
      })
    const statuses: number[] = []
    for (let no = 0; no < 5; no += 1) statuses.push((await register(`192.0.2.${no}`, '203.0.113.1')).status)
    expect(statuses).toEqual([200, 200, 200, 429, 429])
    expect((await register('192.0.2.1', '203.0.113.2')).status).toBe(200)
  })
})
