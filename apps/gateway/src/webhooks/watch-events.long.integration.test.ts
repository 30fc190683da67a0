import { eventsSeen, watchEvents } from '@herald/contracts/calls/webhooks'
import { queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { WebhookEvent } from '@herald/contracts/webhook'
import { openBus } from '@herald/service/bus'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { follow, type Following } from '../testing/follow.ts'
import { adminToken, startGateway } from '../testing/start-gateway.ts'
import { startPeers } from '../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const addresses = { database: url('gateway'), nats }
const gateway = await startGateway(addresses)
const webhooks = await openBus(testService('webhooks', { NATS_URL: nats }))
afterEach(() => peers.answers.clear())

const headers = { authorization: `Bearer ${adminToken}` }
const watch = async (appId: string, port = gateway.port): Promise<Following> => {
  const following = await follow(port, `/v1/admin/apps/${appId}/events`, headers)
  onTestFinished(() => following.leave())
  return following
}
const watchesOf = (appId: string) =>
  peers.asked.filter(({ subject, request }) => subject === watchEvents.subject && (request as { appId: string }).appId === appId).length
const event = (appId: string, more: Partial<WebhookEvent> = {}): WebhookEvent => ({
  id: `evt_${newId()}`,
  type: 'notification.sent',
  ts: '2026-01-01T00:00:00.000Z',
  appId,
  ...more,
})
const tell = (appId: string, events: WebhookEvent[], dropped = 0) => webhooks.broadcast(eventsSeen, { appId, events, dropped })
const seenBy = (stream: Following) => stream.events().filter(({ name }) => name === 'event')
const droppedBy = (stream: Following) =>
  stream.events().reduce((sum, { name, data }) => sum + (name === 'dropped' ? Number(data['dropped']) : 0), 0)

// spec: administration/events
test('a client that watches an app gets its events from then on, as webhooks do, and no other’s', async () => {
  const [{ appId }, other] = [await gateway.givenApp(), await gateway.givenApp()]
  const stream = await watch(appId)
  expect([stream.status, stream.headers['content-type'], stream.headers['cache-control']]).toEqual([200, 'text/event-stream', 'no-store'])
  await until(() => stream.events().length > 0)
  expect(stream.events()).toEqual([{ name: 'watching', data: { appId, mostPerSecond: 100 } }])
  expect(watchesOf(appId)).toBe(1)

  const [one, two] = [event(appId, { externalId: 'customer-7' }), event(appId, { type: 'notification.failed', data: { code: 'timeout' } })]
  tell(other.appId, [event(other.appId)])
  tell(appId, [one, two])
  await until(() => seenBy(stream).length === 2)
  expect(seenBy(stream).map(({ data }) => data)).toEqual([one, two])
  expect((await gateway.admin('GET', `/apps/${newId()}/events`)).status).toBe(404)
})

// spec: administration/events
test('a client that watches an app gets 100 events a second at most, and hears how many were left out', async () => {
  const { appId } = await gateway.givenApp()
  const stream = await watch(appId)
  await until(() => stream.events().length > 0)
  for (let n = 0; n < 10; n += 1)
    tell(
      appId,
      Array.from({ length: 100 }, () => event(appId)),
      5,
    )
  await until(() => seenBy(stream).length + droppedBy(stream) === 1_050)
  // Events after the first hundred are sent in the next second.
  expect(seenBy(stream).length).toBeLessThanOrEqual(200)
  expect(seenBy(stream).length).toBeGreaterThanOrEqual(100)
  expect(stream.ended()).toBeUndefined()
})

// spec: administration/events
test('webhooks is asked for an app’s events once for all watchers, again while somebody watches, then no more', async () => {
  const { appId } = await gateway.givenApp()
  const streams = [await watch(appId)]
  for (const _ of Array(5)) streams.push(await watch(appId))
  expect(watchesOf(appId)).toBe(1)
  // The watch is renewed after ten seconds.
  await until(() => watchesOf(appId) === 2)
  for (const stream of streams) stream.leave()

  const other = await gateway.givenApp()
  await watch(other.appId)
  const before = watchesOf(appId)
  await until(() => watchesOf(other.appId) === 2)
  expect(watchesOf(appId)).toBe(before)
})

test('while webhooks is away nobody can begin to watch another app, and watchers’ streams say that they wait', async () => {
  const { appId } = await gateway.givenApp()
  const stream = await watch(appId)
  peers.answers.set(watchEvents.subject, () => {
    throw queueUnavailable()
  })
  const other = await gateway.givenApp()
  const refused = await gateway.admin('GET', `/apps/${other.appId}/events`)
  expect([refused.status, refused.body.error?.code]).toEqual([503, 'queue_unavailable'])
  await until(() => stream.text().includes(': waiting\n\n'))
  expect(stream.ended()).toBeUndefined()
})

test('the event stream of a deleted app ends', async () => {
  const { appId } = await gateway.givenApp()
  const stream = await watch(appId)
  expect((await gateway.admin('DELETE', `/apps/${appId}`)).status).toBe(204)
  await until(() => stream.ended() === 'end')
})

// spec: administration/events
test('a gateway keeps at most 20 event streams of an app, 100 in all, until one is closed', async () => {
  const apps = await Promise.all(Array.from({ length: 6 }, async () => (await gateway.givenApp()).appId))
  const [first = '', ...others] = apps
  const own = await Promise.all(Array.from({ length: 20 }, () => watch(first)))
  expect(own.map(({ status }) => status)).toEqual(Array(20).fill(200))
  const refusal = async (appId: string) => {
    const { status, body } = await gateway.admin('GET', `/apps/${appId}/events`)
    return [status, body.error?.code]
  }
  expect(await refusal(first)).toEqual([503, 'queue_unavailable'])

  const more: Following[] = []
  for (const appId of others.slice(0, 4)) more.push(...(await Promise.all(Array.from({ length: 20 }, () => watch(appId)))))
  expect(more.filter(({ status }) => status === 200)).toHaveLength(80)
  expect(await refusal(others[4] ?? '')).toEqual([503, 'queue_unavailable'])
  own[0]?.leave()
  await until(async () => (await watch(others[4] ?? '')).status === 200)
})

test('a gateway that stops ends its event streams', async () => {
  const { appId } = await gateway.givenApp()
  const other = await startGateway(addresses)
  const stream = await watch(appId, other.port)
  await other.stop()
  expect(stream.ended()).toBe('end')
})
