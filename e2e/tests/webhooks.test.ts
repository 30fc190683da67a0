import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { verifyWebhook } from '@herald/auth/webhook-signature'
import type { WebhookEvent } from '@herald/contracts/webhook'
import { unnamedField, whyNotSchema } from '@herald/testing/json-schema'
import { givenStack } from '@herald/testing/stack'
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { afterAll, expect, inject, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'

const stack = givenStack()
const { certificate, privateKey } = stack?.receiver ?? inject('receiver')
const received: { path: string; signature: string; body: string; events: WebhookEvent[] }[] = []
const receiver = createServer({ cert: certificate, key: privateKey }, (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString()
    const { events } = JSON.parse(body) as { events: WebhookEvent[] }
    received.push({ path: request.url ?? '', signature: String(request.headers['x-service-signature']), body, events })
    response.writeHead(204).end()
  })
})
const herald = await sharedPlatform()
const tenant = await givenTenant(herald)
await new Promise<void>((listening) => receiver.listen(0, stack ? '0.0.0.0' : '127.0.0.1', listening))
const url = `https://${stack?.receiver.host ?? '127.0.0.1'}:${(receiver.address() as AddressInfo).port}`
const document: unknown = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../docs/openapi.json'), 'utf8'))
const deliverySchema = { $ref: '#/components/schemas/WebhookDelivery' }
/** Checks that every delivery so far fits the schema of the OpenAPI document and has no field that the schema does not name. */
function expectDocumented(): void {
  expect(received.length).toBeGreaterThan(0)
  for (const { body } of received) {
    const delivery: unknown = JSON.parse(body)
    expect([body, whyNotSchema(document, deliverySchema, delivery)]).toEqual([body, undefined])
    expect([body, unnamedField(document, deliverySchema, delivery)]).toEqual([body, undefined])
  }
}
afterAll(async () => {
  receiver.closeAllConnections()
  receiver.close()
})

// spec: webhooks/event-types, webhooks/event-completed, limits/document-webhooks
test('an app’s webhook gets signed events for a sent push and the completed send, with the documented fields', async () => {
  const webhook = await tenant.admin<{ id: string; secret: string }>('POST', '/webhooks', { url: `${url}/hook` })
  expect(webhook.status).toBe(201)
  const [alive] = await tenant.makeDevices('android', 1)
  if (!alive) throw new Error('the simulator made no device')
  const { id: subscriptionId, userId } = await tenant.register(alive, { externalId: 'ada' })
  const sent = await tenant.call<{ id: string }>('POST', '/v1/notifications', {
    target: { externalIds: ['ada'] },
    content: { _default: 'en', en: { title: 'Order', body: 'It is ready.' } },
  })

  const events = () => received.filter(({ path }) => path === '/hook').flatMap((one) => one.events)
  const about = { appId: tenant.appId, campaignId: sent.body.id }
  await until(() => events().length >= 2, { withinMs: 20_000, what: 'two events' })
  expect(events().find(({ type }) => type === 'campaign.completed')).toEqual({
    id: expect.stringMatching(/^evt_[0-9a-f]{24}$/),
    type: 'campaign.completed',
    ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    ...about,
    data: { queued: 1, byPlatform: { ios: 0, android: 1, web: 0 }, name: 'notification', transactional: true },
  })
  expect(events().find(({ type }) => type === 'notification.sent')).toMatchObject({
    ...about,
    userId,
    subscriptionId,
    platform: 'android',
  })
  for (const { signature, body } of received) expect(verifyWebhook(webhook.body.secret, signature, body, new Date())).toEqual({ ok: true })
  expectDocumented()
})

// spec: limits/document-webhooks
test('the events of a dead device and of a device’s report have the fields that the OpenAPI document gives', async () => {
  const webhook = await tenant.admin<{ id: string }>('POST', '/webhooks', { url: `${url}/documented` })
  const [dead, alive] = await tenant.makeDevices('android', 2)
  if (!dead || !alive) throw new Error('the simulator made no devices')
  await tenant.simulator('PUT', `/devices/${dead.id}/behaviour`, { answer: 'dead' })
  const devices = await Promise.all([dead, alive].map((device, place) => tenant.register(device, { externalId: `documented-${place}` })))
  const sent = await tenant.call<{ id: string }>('POST', '/v1/notifications', {
    target: { subscriptionIds: devices.map(({ id }) => id) },
    content: { _default: 'en', en: { title: 'Order', body: 'It is ready.' } },
  })
  const events = () => received.filter(({ path }) => path === '/documented').flatMap((one) => one.events)
  const types = () => new Set(events().map(({ type }) => type))
  await until(() => types().has('notification.sent') && types().has('subscription.invalidated') && types().has('notification.failed'), {
    withinMs: 20_000,
    what: 'a push that was sent and one that failed',
  })
  const { pushes } = await tenant.simulator<{ pushes: { msgId: string }[] }>('GET', `/pushes?deviceId=${alive.id}`)
  const msgId = pushes[0]?.msgId ?? ''
  for (const kind of ['d', 'o', 'c', 'x']) expect((await tenant.call('POST', `/v1/e/${kind}/${msgId}`)).status).toBe(204)
  await until(() => types().has('notification.dismissed'), { withinMs: 20_000, what: 'what the device reported' })

  expect(sent.status).toBe(202)
  expect(types()).toEqual(
    new Set([
      'campaign.completed',
      'notification.sent',
      'notification.failed',
      'notification.delivered',
      'notification.opened',
      'notification.clicked',
      'notification.dismissed',
      'subscription.invalidated',
    ]),
  )
  expectDocumented()
  expect((await tenant.admin('DELETE', `/webhooks/${webhook.body.id}`)).status).toBe(204)
})

// spec: webhooks/event-test, administration/test-send-exempt
test('every event of a test is marked as a test in the webhook, and no event of another send is', async () => {
  const other = await givenTenant(herald)
  expect((await other.admin('POST', '/webhooks', { url: `${url}/tests` })).status).toBe(201)
  const register = async (answer: string) => {
    const [device] = await other.makeDevices('android', 1, { behaviour: { answer } })
    if (!device) throw new Error('the simulator made no device')
    return (await other.register(device, { externalId: answer })).id
  }
  const [alive, dead] = [await register('ok'), await register('dead')]
  const content = { _default: 'en', en: { title: 'Order', body: 'It is ready.' } }
  const tests = [
    await other.admin<{ id: string }>('POST', '/test-send', { subscriptionId: alive, content }),
    await other.admin<{ id: string }>('POST', '/test-send', { subscriptionId: dead, content }),
  ].map(({ body }) => body.id)
  const { body: ordinary } = await other.call<{ id: string }>('POST', '/v1/notifications', { target: { externalIds: ['ok'] }, content })

  const eventsOf = (ids: string[]) =>
    received
      .filter(({ path }) => path === '/tests')
      .flatMap(({ events }) => events.filter(({ campaignId = '' }) => ids.includes(campaignId)))
  await until(() => eventsOf(tests).length === 5 && eventsOf([ordinary.id]).length === 2, { what: 'seven events' })
  expect(
    eventsOf(tests)
      .map(({ type, data }) => `${type} ${String(data?.['test'])}`)
      .toSorted(),
  ).toEqual([
    'campaign.completed true',
    'campaign.completed true',
    'notification.failed true',
    'notification.sent true',
    'subscription.invalidated true',
  ])
  expect(eventsOf([ordinary.id]).filter(({ data }) => data !== undefined && 'test' in data)).toEqual([])
})

// spec: webhooks/test, administration/webhooks, webhooks/url-at-save
test('an operator can ping an endpoint, outside the list of deliveries; one without https is refused', async () => {
  const { body: webhook } = await tenant.admin<{ id: string }>('POST', '/webhooks', { url: `${url}/other` })
  expect((await tenant.admin('POST', `/webhooks/${webhook.id}/test`)).body).toEqual({ status: 204, error: null })
  expect(received.find(({ path }) => path === '/other')?.events[0]?.type).toBe('ping')
  expect((await tenant.admin('GET', `/webhooks/${webhook.id}/deliveries`)).body).toEqual({ items: [], nextCursor: null })
  const refused = await tenant.admin<{ error: { details: unknown[] } }>('POST', '/webhooks', { url: 'http://receiver.example/' })
  expect([refused.status, refused.body.error.details]).toEqual([422, [{ path: 'url', message: 'must be an https URL' }]])
  expect((await tenant.admin('DELETE', `/webhooks/${webhook.id}`)).status).toBe(204)
  expectDocumented()
})
