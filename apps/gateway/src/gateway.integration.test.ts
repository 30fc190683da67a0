import { mintMessageId } from '@herald/auth/message-id'
import { readCampaign } from '@herald/contracts/calls/campaigns'
import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { promised } from '@herald/testing/promised'
import { expect, test } from 'vitest'
import { hmacSecret, startGateway } from './testing/start-gateway.ts'
import { givenCampaign } from './testing/peer-answers.ts'
import { startPeers } from './testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const app = await gateway.givenApp()
const secret = { authorization: `Bearer ${app.secretKey}` }
const phone = { platform: 'ios', token: 'abc123' }
const everyone = { target: { all: true }, silent: true }
const msgIdOf = (campaignId: string) =>
  mintMessageId(hmacSecret, { appId: app.appId, campaignId, userId: newId(), subscriptionId: newId(), platform: 'ios', variant: '' })

// spec: identity/register
test('a device registers with a public key, and audience gets the checked registration for the app of that key', async () => {
  const told = await gateway.ask({ method: 'POST', path: '/v1/subscriptions', headers: { 'x-app-key': app.publicKey }, body: phone })

  expect(told).toMatchObject({ status: 200, body: { platform: 'ios' } })
  expect(Object.keys(told.body)).toEqual(['id', 'platform', 'userId'])
  expect(peers.registered.at(-1)).toEqual({ appId: app.appId, subscription: phone, keyKind: 'public' })
})

// spec: sending/accept
test('a notification is accepted with 202 and the id of its campaign', async () => {
  const told = await gateway.ask({ method: 'POST', path: '/v1/notifications', headers: secret, body: everyone })

  expect(told).toMatchObject({ status: 202, body: { id: expect.any(String), status: 'sending' } })
  expect(peers.sent.at(-1)).toMatchObject({ appId: app.appId, idempotency: null, notification: everyone })
})

// spec: limits/idempotency-replay, limits/idempotency-scope
test('a send repeated with its Idempotency-Key gets the first answer as a replay, whatever the keys’ order', async () => {
  const headers = { ...secret, 'idempotency-key': 'order 17' }
  const first = await gateway.ask({ method: 'POST', path: '/v1/notifications', headers, body: everyone })
  const again = await gateway.ask({ method: 'POST', path: '/v1/notifications', headers, body: { silent: true, target: { all: true } } })
  const other = await gateway.ask({ method: 'POST', path: '/v1/notifications', headers, body: { ...everyone, ttl: 5 } })

  expect(first.headers['idempotent-replayed']).toBeUndefined()
  expect(again).toMatchObject({ status: 202, text: first.text })
  expect(again.headers['idempotent-replayed']).toBe('true')
  expect(other).toMatchObject({ status: 422, body: { error: { code: 'idempotency_key_reused' } } })
})

// spec: limits/idempotency-key
test.each(['x'.repeat(256), 'caf\u00e9', ''])(
  'a send with the Idempotency-Key %j is refused, and the error names that header',
  async (key) => {
    const told = await gateway.ask({
      method: 'POST',
      path: '/v1/notifications',
      headers: { ...secret, 'idempotency-key': key },
      body: everyone,
    })

    expect(told).toMatchObject({ status: 422, body: { error: { code: 'invalid_body', details: [{ path: 'headers.idempotency-key' }] } } })
  },
)

// spec: tracking/stats, tracking/rates
test('the counters of a campaign are 0 and its rates null until outcomes or reports are counted', async () => {
  const { body } = await gateway.ask({ method: 'POST', path: '/v1/notifications', headers: secret, body: everyone })
  const path = `/v1/campaigns/${String(body['id'])}/stats`
  const before = await gateway.ask({ path, headers: secret })
  expect((await gateway.ask({ method: 'POST', path: `/v1/e/d/${msgIdOf(String(body['id']))}` })).status).toBe(204)
  const after = await gateway.ask({ path, headers: secret })

  expect(before.body).toEqual({
    id: body['id'],
    status: 'sending',
    stats: { queued: 0, sent: 0, failed: 0, skipped: 0, delivered: 0, opened: 0, clicked: 0, dismissed: 0 },
    rates: { delivery: null, open: null, click: null },
  })
  expect(after.body).toMatchObject({ stats: { sent: 3, delivered: 2 }, rates: { delivery: 0.6667, open: 0.5, click: 0 } })
})

// spec: tracking/stats-status
test('when a campaign’s status is answered as `sent`, its counters have every outcome, even those counted during the request', async () => {
  const { body } = await gateway.ask({ method: 'POST', path: '/v1/notifications', headers: secret, body: everyone })
  const id = String(body['id'])
  const before = peers.tracked.splice(0)
  // While the gateway reads the campaign, its outcomes are counted and it becomes `sent`. A request that is made just before still gets `sending`.
  peers.answers.set(readCampaign.subject, async () => {
    peers.answers.delete(readCampaign.subject)
    const { body: earlier } = await gateway.ask({ path: `/v1/campaigns/${id}/stats`, headers: secret })
    expect(earlier).toMatchObject({ status: 'sending', stats: { sent: 0 } })
    peers.tracked.push(...before, [])
    return { ...givenCampaign, id, status: 'sent' }
  })

  const { body: stats } = await gateway.ask({ path: `/v1/campaigns/${id}/stats`, headers: secret })

  expect(stats).toMatchObject({ status: 'sent', stats: { queued: 4, sent: 3, failed: 1 } })
})

// spec: limits/foreign-ids
test('another app’s campaign is answered exactly like one that does not exist, and like a wrong id', async () => {
  const stranger = await gateway.givenApp()
  const { body } = await gateway.ask({ method: 'POST', path: '/v1/notifications', headers: secret, body: everyone })
  const asked = [String(body['id']), newId(), 'not-an-id', String(body['id']).toUpperCase()]
  const told = await Promise.all(
    asked.map((id) => gateway.ask({ path: `/v1/campaigns/${id}/stats`, headers: { authorization: `Bearer ${stranger.secretKey}` } })),
  )

  expect(told.map(({ status }) => status)).toEqual([404, 404, 404, 404])
  expect(new Set(told.map(({ text }) => text)).size).toBe(1)
})

// spec: tracking/kind-first, tracking/report
test('a device’s report is counted for the push that its msgId names; the kind is checked before the msgId', async () => {
  const campaignId = newId()
  const msgId = msgIdOf(campaignId)
  expect(
    (await gateway.ask({ method: 'POST', path: `/v1/e/o/${msgId}`, raw: 'ignored', headers: { 'content-type': 'text/plain' } })).status,
  ).toBe(204)
  expect(peers.tracked.flat().at(-1)).toMatchObject({ kind: 'opened', appId: app.appId, campaignId, platform: 'ios', variant: '' })

  expect((await gateway.ask({ method: 'POST', path: `/v1/e/q/nonsense` })).body.error?.code).toBe('unknown_kind')
  expect((await gateway.ask({ method: 'POST', path: `/v1/e/toString/${msgId}` })).body.error?.code).toBe('unknown_kind')
  expect((await gateway.ask({ method: 'POST', path: `/v1/e/o/${msgId.slice(0, -1)}` })).body.error?.code).toBe('invalid_msg_id')
})

test('reports of devices that arrive together share calls to the tracker, and each report is counted', async () => {
  const before = peers.tracked.length
  const campaignId = newId()
  const told = await Promise.all(Array.from({ length: 300 }, () => gateway.ask({ method: 'POST', path: `/v1/e/c/${msgIdOf(campaignId)}` })))

  expect(new Set(told.map(({ status }) => status))).toEqual(new Set([204]))
  const calls = peers.tracked.slice(before)
  expect(calls.flat().filter((event) => event.campaignId === campaignId)).toHaveLength(300)
  expect(calls.length).toBeLessThan(300)
  expect(Math.max(...calls.map((call) => call.length))).toBeLessThanOrEqual(200)
})

// spec: limits/queue-unavailable, limits/health
test('while another service does not answer, a request that needs it is 503 queue_unavailable, and /health stays 200', async () => {
  const lonely = await startGateway({ database: url('gateway'), nats: await freshNats() })
  const told = await lonely.ask({ method: 'POST', path: '/v1/notifications', headers: secret, body: everyone })

  expect(told).toMatchObject({ status: 503, body: { error: { code: 'queue_unavailable' } } })
  expect(await lonely.ask({ path: '/health' })).toMatchObject({ status: 200, body: { status: 'ok', db: 'ready' } })
})

// spec: limits/key-revoked
test('a revoked API key stops working within two seconds on two gateways that had cached it', async () => {
  const other = await startGateway({ database: url('gateway'), nats })
  const { appId, secretKey, secretKeyId } = await gateway.givenApp()
  const path = `/v1/campaigns/${newId()}/stats`
  const headers = { authorization: `Bearer ${secretKey}` }
  const statuses = async () => Promise.all([gateway, other].map(async (one) => (await one.ask({ path, headers })).status))
  expect(await statuses()).toEqual([404, 404])

  expect((await gateway.admin('DELETE', `/apps/${appId}/keys/${secretKeyId}`)).status).toBe(204)

  await promised(2_000, '401 everywhere', async () => (await statuses()).every((status) => status === 401))
})

// spec: limits/key-revoked, administration/delete-app
test('the API keys of a deleted app stop working, and the app is 404 from then on', async () => {
  const { appId, secretKey, publicKey } = await gateway.givenApp()
  const headers = { authorization: `Bearer ${secretKey}` }
  expect((await gateway.ask({ path: `/v1/campaigns/${newId()}/stats`, headers })).status).toBe(404)

  expect((await gateway.admin('DELETE', `/apps/${appId}`)).status).toBe(204)

  expect((await gateway.ask({ path: `/v1/campaigns/${newId()}/stats`, headers })).status).toBe(401)
  expect((await gateway.ask({ method: 'POST', path: '/v1/subscriptions', headers: { 'x-app-key': publicKey }, body: phone })).status).toBe(
    401,
  )
  for (const path of ['', '/keys', '/providers/apns', '/pushes', '/audit']) {
    expect((await gateway.admin('GET', `/apps/${appId}${path}`)).text).toBe((await gateway.admin('GET', `/apps/${newId()}${path}`)).text)
  }
})

test('a gateway that stops answers the requests under way, and accepts no more afterwards', async () => {
  const leaving = await startGateway({ database: url('gateway'), nats })
  const inWork = Array.from({ length: 20 }, () =>
    leaving.ask({ method: 'POST', path: '/v1/notifications', headers: secret, body: everyone }),
  )
  await leaving.ask({ path: '/health' })
  const stopped = leaving.stop()

  expect((await Promise.all(inWork)).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 202))
  await stopped
  await expect(leaving.ask({ path: '/health' })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})
