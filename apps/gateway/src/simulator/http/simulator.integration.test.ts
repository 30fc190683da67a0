import { mintMessageId } from '@herald/auth/message-id'
import { generateKeyPairSync } from 'node:crypto'
import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { until } from '@herald/testing/until'
import { afterEach, expect, test } from 'vitest'
import { follow } from '../../testing/follow.ts'
import { adminToken, hmacSecret, startGateway } from '../../testing/start-gateway.ts'
import { startPeers } from '../../testing/start-peers.ts'
import { device, startSimulator } from '../../testing/start-simulator.ts'

const nats = await freshNats()
const addresses = { database: (await freshDatabase()).url('gateway'), nats }
const peers = await startPeers(nats)
const simulator = await startSimulator()
const usual = new Map(simulator.answers)
const gateway = await startGateway(addresses, simulator.settings)
const authorization = `Bearer ${adminToken}`
afterEach(() => {
  simulator.asked.length = 0
  for (const [call, answer] of usual) simulator.answers.set(call, answer)
})
const privateKey = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const apns = { teamId: 'TEAM000001', keyId: 'KEY0000001', privateKey, bundleId: 'org.example.shop', environment: 'production' }

/** Makes an app with APNs credentials, so that the virtual phones with its bundle id belong to it. */
async function givenApp() {
  const { appId } = await gateway.givenApp()
  await gateway.admin('PUT', `/apps/${appId}/providers/apns`, apns)
  return appId
}
const ask = (method: string, path: string, body?: unknown) => gateway.admin(method, `/simulator${path}`, body)

// spec: administration/simulator
test('without a simulator its operations are 404; a virtual device for an app without credentials is 409', async () => {
  const without = await startGateway(addresses)
  const { appId } = await without.givenApp()
  for (const [method, path, body] of [
    ['POST', '/accounts', { appId, kind: 'apns' }],
    ['POST', '/devices', { appId, platform: 'ios' }],
    ['GET', `/devices?appId=${appId}`],
    ['PUT', '/devices/ios-1/behaviour', { answer: 'dead' }],
    ['DELETE', '/devices/ios-1'],
    ['GET', `/pushes?appId=${appId}`],
    ['GET', `/stream?appId=${appId}`],
    ['GET', '/faults'],
    ['POST', '/reset'],
  ] as const)
    expect([path, (await without.admin(method, `/simulator${path}`, body)).status]).toEqual([
      path,
      method === 'POST' && path === '/devices' ? 409 : 404,
    ])
})

// spec: administration/simulator
test('only those operations of the simulator’s control API that have a route can be reached through the gateway', async () => {
  for (const [method, path] of [
    ['POST', '/reset'],
    ['PUT', '/faults'],
    ['GET', '/summary'],
    ['POST', '/crowd'],
    ['DELETE', '/devices/..%2f..%2freset'],
    ['PUT', '/devices/ios-1%2fsubscription%3f/behaviour'],
  ] as const)
    expect((await ask(method, path, method === 'PUT' ? { answer: 'ok' } : undefined)).status).toBe(404)
  expect(simulator.asked.map(({ path }) => decodeURIComponent(path)).filter((path) => path.startsWith('/reset'))).toEqual([])
})

// spec: administration/simulator-devices
test('adding a virtual phone makes it in the simulator, registers it and leaves an audit line', async () => {
  const appId = await givenApp()
  const body = { appId, platform: 'ios', name: 'Dana’s iPhone', externalId: 'customer-7', language: 'de', tags: { plan: 'pro' } }
  const { status, body: made } = await ask('POST', '/devices', body)

  const registered = peers.registered.at(-1)
  expect(registered).toMatchObject({
    appId,
    subscription: { platform: 'ios', token: 'ab'.repeat(32), externalId: 'customer-7', language: 'de', tags: { plan: 'pro' } },
  })
  expect(status).toBe(201)
  expect(made).toMatchObject({ id: 'ios-300', subscriptionId: expect.stringMatching(/^[0-9a-f]{24}$/) as string })
  expect(JSON.stringify(made)).not.toContain('ab'.repeat(32))
  expect(simulator.asked[0]).toMatchObject({
    method: 'POST',
    path: '/devices',
    body: { platform: 'ios', bundleId: 'org.example.shop', hand: { name: 'Dana’s iPhone', reportTo: `http://127.0.0.1:${gateway.port}` } },
  })
  const { body: audit } = await gateway.admin('GET', `/apps/${appId}/audit?action=simulator.`)
  expect(audit['items']).toMatchObject([{ action: 'simulator.device-added', subject: { id: made['subscriptionId'], platform: 'ios' } }])
})

// spec: administration/simulator-devices
test('without simulated credentials for the platform no virtual device is made, and the answer says why', async () => {
  const { appId } = await gateway.givenApp()
  const none = await ask('POST', '/devices', { appId, platform: 'android' })
  expect([none.status, none.body.error?.code]).toEqual([409, 'invalid_state'])
  expect(none.body.error?.message).toContain('POST /v1/admin/simulator/accounts')

  simulator.answers.set('POST /devices', () => ({ status: 400, body: { error: 'bundleId: no account has org.example.shop' } }))
  const real = await ask('POST', '/devices', { appId: await givenApp(), platform: 'ios' })
  expect([real.status, real.body.error?.message]).toEqual([409, 'The simulator refuses this: bundleId: no account has org.example.shop.'])

  expect((await ask('POST', '/devices', { appId: newId(), platform: 'ios' })).status).toBe(404)
  const wrong = await ask('POST', '/devices', { appId, platform: 'pager' })
  expect([wrong.status, wrong.body.error?.details?.[0]?.path]).toEqual([422, 'platform'])
})

// spec: administration/simulator-accounts
test('an account at the simulated provider becomes the app’s credentials, and does not replace credentials that the app has', async () => {
  const { appId } = await gateway.givenApp()
  simulator.answers.set('POST /accounts', () => ({ body: { privateKey } }))
  const taken = await ask('POST', '/accounts', { appId, kind: 'apns' })
  expect([taken.status, taken.body]).toEqual([200, { kind: 'apns' }])
  const { body: set } = await gateway.admin('GET', `/apps/${appId}/providers/apns`)
  expect(simulator.asked.at(-1)).toMatchObject({
    path: '/accounts',
    body: { kind: 'apns', bundleId: set['bundleId'], keyId: set['keyId'] },
  })
  expect((await gateway.admin('GET', `/apps/${appId}/audit?action=provider.set`)).body['items']).toHaveLength(1)

  const again = await ask('POST', '/accounts', { appId, kind: 'apns' })
  expect([again.status, again.body.error?.code]).toEqual([409, 'invalid_state'])
  expect((await ask('POST', '/accounts', { appId, kind: 'webpush' })).status).toBe(200)
  expect((await gateway.admin('GET', `/apps/${appId}/providers/webpush`)).body['publicKey']).toMatch(/^[\w-]{87}$/)
})

// spec: administration/simulator
test('an operator can make a virtual device answer differently, remove it, and list an app’s', async () => {
  const appId = await givenApp()
  expect(await ask('PUT', '/devices/ios-300/behaviour', { answer: 'slow', delayMs: 3_000 })).toMatchObject({ status: 200, body: device })
  expect(simulator.asked.at(-1)?.body).toEqual({ answer: 'slow', delayMs: 3_000 })
  expect((await ask('DELETE', '/devices/ios-300')).status).toBe(204)
  expect((await ask('DELETE', '/devices/ios-9')).status).toBe(404)
  expect((await ask('PUT', '/devices/ios-300/behaviour', { answer: 'tired' })).status).toBe(422)

  simulator.answers.set('GET /devices', () => ({ body: { devices: [device], next: 'h300' } }))
  const page = await ask('GET', `/devices?appId=${appId}&limit=1&cursor=c7`)
  expect(page.body).toEqual({ items: [device], nextCursor: 'h300' })
  expect(simulator.asked.at(-1)?.query).toEqual({ bundleId: 'org.example.shop', limit: '1', after: 'c7' })
  for (const path of [`/devices?appId=${appId}&cursor=x`, `/pushes?appId=${appId}&cursor=x`]) {
    const { status, body } = await ask('GET', path)
    expect([status, body.error?.details?.[0]?.path]).toEqual([422, 'cursor'])
  }
})

const ids = { appId: newId(), campaignId: newId(), userId: newId(), subscriptionId: newId() }
const takenPush = (seq: number) => {
  const msgId = mintMessageId(hmacSecret, { ...ids, platform: 'ios', variant: 'b' })
  return {
    ...{
      seq,
      at: 1_768_329_000_123.5,
      platform: 'ios',
      deviceId: 'ios-300',
      environment: 'production',
      id: 'apns-id',
      headers: { priority: '10' },
    },
    ...{
      payload: { aps: { alert: { title: 'Hi', body: 'There' } }, herald: { msgId }, order: '17' },
      msgId,
      bytes: 120,
      subscriptionId: null,
    },
  }
}

test('a push to a virtual device is listed as shown, with the user and campaign of its msgId', async () => {
  const appId = await givenApp()
  simulator.answers.set('GET /pushes/newest', () => ({ body: { pushes: [takenPush(42)] } }))
  const { body } = await ask('GET', `/pushes?appId=${appId}&deviceId=ios-300&limit=1`)
  expect(body['items']).toMatchObject([
    {
      ...{
        seq: 42,
        at: '2026-01-13T18:30:00.123Z',
        campaignId: ids.campaignId,
        userId: ids.userId,
        subscriptionId: ids.subscriptionId,
        variant: 'b',
      },
      ...{ shown: { title: 'Hi', body: 'There', actions: [] }, data: { order: '17' }, bytes: 120 },
    },
  ])
  expect(body['nextCursor']).toBe('42')
  expect(simulator.asked.at(-1)?.query).toMatchObject({ deviceId: 'ios-300', limit: '1' })
})

// spec: administration/simulator
test('when the simulator answers 500 or does not answer, a request for it is 503', async () => {
  const appId = await givenApp()
  simulator.answers.set('GET /devices', () => ({ status: 500, body: { error: 'a stack' } }))
  const broken = await ask('GET', `/devices?appId=${appId}`)
  expect([broken.status, broken.body.error?.code, broken.text.includes('stack')]).toEqual([503, 'queue_unavailable', false])
  simulator.answers.set('GET /devices', () => undefined)
  expect((await ask('GET', `/devices?appId=${appId}`)).status).toBe(503)
}, 30_000)

// spec: administration/simulator-stream
test('the simulator’s stream sends 100 pushes a second at most, says how many are missing, and resumes after an absence', async () => {
  const appId = await givenApp()
  const tails: { query: Record<string, string> }[] = []
  let script: { last: number; dropped: number; pushes: object[] } | 'away' = { last: 7, dropped: 0, pushes: [] }
  simulator.answers.set('GET /pushes/tail', (it) => {
    tails.push(it)
    if (script === 'away') return { status: 500, body: {} }
    const body = script
    script = { ...script, dropped: 0, pushes: [] }
    return { body }
  })
  const stream = await follow(gateway.port, `/v1/admin/simulator/stream?appId=${appId}`, { authorization })
  await until(() => stream.events().length === 1)
  expect(stream.events()).toEqual([{ name: 'watching', data: { appId, mostPerSecond: 100 } }])

  script = { last: 9, dropped: 5, pushes: [takenPush(8), takenPush(9)] }
  await until(() => stream.events().length === 4)
  expect(stream.events().slice(1)).toMatchObject([
    { name: 'push', data: { seq: 8, shown: { title: 'Hi' } } },
    { name: 'push', data: { seq: 9 } },
    { name: 'dropped', data: { dropped: 5 } },
  ])
  // At first the simulator is asked where its record of pushes ends, then for the pushes after its last answer, and only for devices of this app.
  const cursors = tails.map(({ query }) => query['after'])
  expect([cursors[0], cursors[1]]).toEqual([undefined, '7'])
  await until(() => tails.at(-1)?.query['after'] === '9')
  expect(tails.at(-1)?.query).toMatchObject({ bundleId: 'org.example.shop' })
  expect(Math.max(...tails.slice(1).map(({ query }) => Number(query['limit'])))).toBe(100)

  script = 'away'
  await until(() => stream.events().at(-1)?.name === 'waiting')
  script = { last: 10, dropped: 0, pushes: [takenPush(10)] }
  await until(() => stream.events().at(-1)?.name === 'push')
  expect(stream.events().filter(({ name }) => name === 'waiting')).toHaveLength(1)
  stream.leave()
})
