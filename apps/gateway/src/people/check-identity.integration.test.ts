import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { identityToken } from '../testing/identity-token.ts'
import { startGateway } from '../testing/start-gateway.ts'
import { startPeers } from '../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
await startPeers(nats)
const addresses = { database: url('gateway'), nats }
const [one, other] = [await startGateway(addresses), await startGateway(addresses)]

// spec: administration/settings-heard
test('a changed identity rule holds at once in its gateway, and within 10 seconds in one that cached the old', async () => {
  const app = await one.givenApp()
  const register = async (gateway: typeof one, token?: string) => {
    const headers = { 'x-app-key': app.publicKey, ...(token ? { 'x-identity-token': token } : {}) }
    const body = { platform: 'ios', token: 'token', externalId: 'ada' }
    return (await gateway.ask({ method: 'POST', path: '/v1/subscriptions', headers, body })).status
  }
  const makeSecret = async () => String((await one.admin('POST', `/apps/${app.appId}/identity-secret`)).body['secret'])
  const claims = { sub: 'ada', exp: Math.floor(Date.now() / 1000) + 600 }
  const first = identityToken(await makeSecret(), claims)
  for (const gateway of [one, other]) expect(await register(gateway)).toBe(200)

  await one.admin('PATCH', `/apps/${app.appId}`, { settings: { identityVerification: 'required' } })
  expect(await register(one)).toBe(403)
  await until(async () => (await register(other)) === 403, { withinMs: 10_000 })
  for (const gateway of [one, other]) expect(await register(gateway, first)).toBe(200)

  const second = identityToken(await makeSecret(), claims)
  expect([await register(one, first), await register(one, second)]).toEqual([403, 200])
  await until(async () => (await register(other, first)) === 403, { withinMs: 10_000 })
  expect(await register(other, second)).toBe(200)

  await one.admin('PATCH', `/apps/${app.appId}`, { settings: { identityVerification: 'off' } })
  expect(await register(one)).toBe(200)
  await until(async () => (await register(other)) === 200, { withinMs: 10_000 })
})
