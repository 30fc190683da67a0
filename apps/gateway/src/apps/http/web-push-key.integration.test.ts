import { makeVapidPair } from '@herald/auth/provider-token'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { startGateway } from '../../testing/start-gateway.ts'
import { startPeers } from '../../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
// New keys are checked before they replace those in use.
await startPeers(nats)
const addresses = { database: url('gateway'), nats }
// Both gateways remember a Web Push key for an hour, unless a broadcast says that its app was changed.
const [gateway, other] = [
  await startGateway(addresses, { API_KEY_CACHE_TTL: '3600' }),
  await startGateway(addresses, { API_KEY_CACHE_TTL: '3600' }),
]
const subject = 'mailto:ops@shop.example'
const read = async (publicKey: string, from = gateway) => {
  const { status, body } = await from.ask({ path: '/v1/web-push-key', headers: { 'x-app-key': publicKey } })
  return status === 200 ? body['publicKey'] : `${status} ${body.error?.code}`
}

// spec: identity/web-push-key
test('a web page reads the Web Push key to subscribe with, and after a change both gateways answer the new', async () => {
  const { appId, publicKey } = await gateway.givenApp()
  const set = async (pair: object = {}) =>
    (await gateway.admin('PUT', `/apps/${appId}/providers/webpush`, { subject, ...pair })).body['publicKey']

  const made = await set()
  expect([await read(publicKey), await read(publicKey, other)]).toEqual([made, made])

  const pair = makeVapidPair()
  expect(await set(pair)).toBe(pair.publicKey)
  expect(await read(publicKey)).toBe(pair.publicKey)
  await until(async () => (await read(publicKey, other)) === pair.publicKey)
})

// spec: identity/web-push-key
test('the Web Push key is 404 before Web Push is configured and after removal; between, both gateways give it', async () => {
  const { appId, publicKey } = await gateway.givenApp()
  expect([await read(publicKey), await read(publicKey, other)]).toEqual(['404 not_found', '404 not_found'])
  const { body } = await gateway.admin('PUT', `/apps/${appId}/providers/webpush`, { subject })
  expect(await read(publicKey)).toBe(body['publicKey'])
  await until(async () => (await read(publicKey, other)) === body['publicKey'])

  await gateway.admin('DELETE', `/apps/${appId}/providers/webpush`)
  expect(await read(publicKey)).toBe('404 not_found')
  await until(async () => (await read(publicKey, other)) === '404 not_found')
})

// spec: identity/web-push-key, limits/origins
test('a web page of any origin reads its app’s Web Push key, the public half, with a public key', async () => {
  const [one, two] = [await gateway.givenApp(), await gateway.givenApp()]
  const pair = makeVapidPair()
  await gateway.admin('PUT', `/apps/${one.appId}/providers/webpush`, { subject, ...pair })
  await gateway.admin('PUT', `/apps/${two.appId}/providers/webpush`, { subject })
  const told = await gateway.ask({ path: '/v1/web-push-key', headers: { 'x-app-key': one.publicKey, origin: 'https://shop.example' } })
  expect(told.headers['access-control-allow-origin']).toBe('*')
  expect(told.body).toEqual({ publicKey: pair.publicKey })
  expect(await read(two.publicKey)).not.toBe(pair.publicKey)
})
