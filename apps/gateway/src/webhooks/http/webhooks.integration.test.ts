import type { Call } from '@herald/contracts/call'
import * as calls from '@herald/contracts/calls/webhooks'
import { fault, notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { Webhook, WebhookDelivery } from '@herald/contracts/webhook'
import { openBus } from '@herald/service/bus'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { beforeAll, expect, test } from 'vitest'
import { startGateway, type GatewayUnderTest } from '../../testing/start-gateway.ts'

let gateway: GatewayUnderTest
let appId: string
const webhookId = newId()
/** What the fake of the service webhooks was asked with each call. */
const asked = new Map<string, unknown>()
const webhook: Webhook = {
  id: webhookId,
  appId: newId(),
  url: 'https://receiver.example/',
  description: null,
  eventTypes: ['*'],
  enabled: true,
  disabledReason: null,
  disabledAt: null,
  consecutiveFailures: 0,
  secretHint: 'abcd',
  lastDeliveryAt: null,
  lastStatus: null,
  lastError: null,
  waitingEvents: 0,
  droppedEvents: 0,
  storedBytes: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}
const delivery: WebhookDelivery = {
  id: 'dlv_1',
  state: 'pending',
  eventCount: 1,
  attempts: [],
  nextAttemptAt: null,
  replayable: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  endedAt: null,
}

beforeAll(async () => {
  const [database, nats] = [await freshDatabase(), await freshNats()]
  const peer = await openBus(testService('webhooks', { NATS_URL: nats }))
  const heard = (name: string, request: object) => {
    asked.set(name, request)
    if ('webhookId' in request && request.webhookId !== webhookId) throw notFound()
  }
  peer.answer(calls.createWebhook, async (request) => {
    heard('create', request)
    if (request.webhook.url.includes('localhost')) throw fault('invalid_body', 'url must not …', [{ path: 'url', message: 'must not …' }])
    return { ...webhook, secret: 'whsec_x' }
  })
  const play = <Request extends object, Answer>(name: string, call: Call<Request, Answer>, answer: Answer) =>
    peer.answer(call, async (request) => {
      heard(name, request)
      return answer
    })
  play('list', calls.listWebhooks, { items: [webhook], nextCursor: null })
  play('read', calls.readWebhook, webhook)
  play('change', calls.changeWebhook, webhook)
  play('delete', calls.deleteWebhook, {})
  play('enable', calls.enableWebhook, webhook)
  play('rotate', calls.rotateWebhookSecret, { secret: 'whsec_y' })
  play('test', calls.testWebhook, { status: 204, error: null })
  play('deliveries', calls.listDeliveries, { items: [], nextCursor: null })
  play('replay', calls.replayDelivery, delivery)
  play('delivery', calls.readDelivery, { ...delivery, body: '{"id":"dlv_1","events":[]}' })
  gateway = await startGateway({ database: database.url('gateway'), nats })
  appId = (await gateway.givenApp()).appId
})

// spec: administration/webhooks
test('every webhook operation reaches the service with the path’s app, and answers with its own status', async () => {
  const path = `/apps/${appId}/webhooks`
  const one = `${path}/${webhookId}`
  const told = async (method: string, at: string, body?: unknown) => {
    const answer = await gateway.admin(method, at, body)
    return [answer.status, answer.body]
  }
  const created = await told('POST', path, { url: 'https://receiver.example/', eventTypes: ['notification.sent'] })
  expect(created).toEqual([201, { ...webhook, secret: 'whsec_x' }])
  expect(asked.get('create')).toEqual({
    appId,
    webhook: { url: 'https://receiver.example/', eventTypes: ['notification.sent'], description: null },
  })
  expect(await told('GET', `${path}?limit=5`)).toEqual([200, { items: [webhook], nextCursor: null }])
  expect(asked.get('list')).toEqual({ appId, limit: 5 })
  expect(await told('GET', one)).toEqual([200, webhook])
  expect(await told('PATCH', one, { enabled: false })).toEqual([200, webhook])
  expect(asked.get('change')).toEqual({ appId, webhookId, changes: { enabled: false } })
  expect(await told('POST', `${one}/enable`)).toEqual([200, webhook])
  expect(await told('POST', `${one}/rotate-secret`)).toEqual([201, { secret: 'whsec_y' }])
  expect(await told('POST', `${one}/test`)).toEqual([200, { status: 204, error: null }])
  expect(await told('GET', `${one}/deliveries`)).toEqual([200, { items: [], nextCursor: null }])
  await told('GET', `${one}/deliveries?state=failed&from=2026-01-01T00:00:00Z&to=2026-01-02T01:00:00%2B01:00`)
  const times = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' }
  expect(asked.get('deliveries')).toEqual({ appId, webhookId, limit: 100, state: 'failed', ...times })
  expect(await told('GET', `${one}/deliveries/dlv_1`)).toEqual([200, { ...delivery, body: '{"id":"dlv_1","events":[]}' }])
  expect(asked.get('delivery')).toEqual({ appId, webhookId, deliveryId: 'dlv_1' })
  expect(await told('POST', `${one}/deliveries/dlv_1/replay`)).toEqual([202, delivery])
  expect(asked.get('replay')).toEqual({ appId, webhookId, deliveryId: 'dlv_1' })
  expect((await told('DELETE', one))[0]).toBe(204)
  for (const name of ['read', 'enable', 'rotate', 'test', 'delete']) expect([name, asked.get(name)]).toEqual([name, { appId, webhookId }])
})

test.each([
  [{}, 'url'],
  [{ url: 'no address' }, 'url'],
  [{ url: 'https://localhost/' }, 'url'],
  [{ url: 'https://receiver.example/', eventTypes: [] }, 'eventTypes'],
  [{ url: 'https://receiver.example/', eventTypes: ['notification.lost'] }, 'eventTypes.0'],
  [{ url: 'https://receiver.example/', eventTypes: ['*', '*'] }, 'eventTypes'],
  [{ url: 'https://receiver.example/', secret: 'mine' }, 'secret'],
])('the webhook endpoint %j is refused, and the error names %s', async (body, path) => {
  const { status, body: answer } = await gateway.admin('POST', `/apps/${appId}/webhooks`, body)
  expect([status, answer.error?.code, answer.error?.details?.[0]?.path]).toEqual([422, 'invalid_body', path])
})

// spec: administration/unknown-app
test('an endpoint of an unknown app, or with an unknown id, is 404; an empty change is refused', async () => {
  expect((await gateway.admin('GET', `/apps/${newId()}/webhooks`)).status).toBe(404)
  expect((await gateway.admin('GET', `/apps/${appId}/webhooks/${newId()}`)).status).toBe(404)
  expect((await gateway.admin('PATCH', `/apps/${appId}/webhooks/${webhookId}`, {})).status).toBe(422)
})

// spec: administration/webhooks
test.each([
  ['state=lost', 'state'],
  ['from=yesterday', 'from'],
  ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'to'],
  ['cursor=nonsense', 'cursor'],
])('a list of webhook deliveries with the query %s is refused, and the error names %s', async (query, path) => {
  const { status, body } = await gateway.admin('GET', `/apps/${appId}/webhooks/${webhookId}/deliveries?${query}`)
  expect([status, body.error?.code, body.error?.details?.[0]?.path]).toEqual([422, 'invalid_body', path])
})
