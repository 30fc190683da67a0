import { setTimeout as sleep } from 'node:timers/promises'
import { verifyWebhook } from '@herald/auth/webhook-signature'
import { createWebhook, listDeliveries } from '@herald/contracts/calls/webhooks'
import type { Event } from '@herald/contracts/event'
import { newId } from '@herald/contracts/ids'
import { eventSubjects } from '@herald/contracts/topology'
import type { Webhook } from '@herald/contracts/webhook'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { eventIdOf } from './core/public-event.ts'
import { startProcess } from './testing/start-process.ts'
import { startReceiver } from './testing/receiver.ts'
import { givenEvents, openRig } from './testing/rig.ts'

const kills = 5
const killEveryMs = 2_000

// spec: webhooks/at-least-once, webhooks/same-bytes
test('while webhooks is killed every 2 s and three of ten responses fail, every event arrives with unchanged bytes', async () => {
  const rig = await openRig()
  let n = 0
  const receiver = await startReceiver((_one, response) => {
    n += 1
    if (n % 10 === 3) return response.writeHead(500).end()
    if (n % 10 === 6) return response.writeHead(429).end()
    if (n % 10 === 9) return void response.destroy()
    return response.writeHead(204).end()
  })
  let app = startProcess(rig.environment)
  const webhooks = await until(
    () =>
      Promise.all(
        Array.from({ length: 8 }, (_, place) =>
          rig.gateway.call(createWebhook, {
            appId: newId(),
            webhook: { url: `${receiver.url}/${place}`, eventTypes: ['*'], description: null },
          }),
        ),
      ),
    { what: 'endpoints' },
  )
  const secretOf = new Map(webhooks.map(({ secret }, place) => [`/${place}`, secret]))

  // Like the tracker, the test publishes an announcement until it is confirmed, each time with another message id.
  const pending = new Map<string, Event[]>()
  const announced: string[] = []
  let done = false
  const publishing = (async () => {
    for (let round = 0; !done; round += 1) {
      for (const id of rig.confirmed.tracker.splice(0)) pending.delete(id)
      const unconfirmed = [...pending]
      await Promise.allSettled(
        unconfirmed.map(([announcementId, events]) =>
          rig.tracker.publish(eventSubjects.pushSettled, { announcementId, owner: 'tracker', events }, `${announcementId}.${round}`),
        ),
      )
      await until(() => done || rig.confirmed.tracker.length > 0, { withinMs: 1_000 }).catch(() => undefined)
    }
  })()
  const announce = () => {
    for (const { appId } of webhooks) {
      const events = givenEvents(appId, 75)
      announced.push(...events.map(eventIdOf))
      pending.set(newId(), events)
    }
  }

  for (let kill = 0; kill < kills; kill += 1) {
    announce()
    // Each process lives for two seconds, whatever it is doing then. That a process dies at any moment is the point of the test.
    await sleep(killEveryMs)
    await app.kill()
    app = startProcess(rig.environment)
  }
  announce()
  const arrived = () => new Set(receiver.received.flatMap(({ events }) => events.map(({ id }) => id)))
  await until(
    async () =>
      announced.every((id) => arrived().has(id)) &&
      pending.size === 0 &&
      (await rig.db.selectFrom('deliveries').select('id').where('due_at', 'is not', null).execute()).length === 0,
    { withinMs: 120_000, what: 'every event' },
  )
  done = true
  await publishing

  expect(announced).toHaveLength(8 * 75 * (kills + 1))
  expect(arrived()).toEqual(new Set(announced))
  const bodies = Map.groupBy(receiver.received, ({ id }) => id)
  expect([...bodies.values()].filter((same) => new Set(same.map(({ body }) => body)).size > 1)).toEqual([])
  expect(Math.max(...receiver.received.map(({ events }) => events.length))).toBeLessThanOrEqual(100)
  for (const { path, headers, body, at } of receiver.received)
    expect(verifyWebhook(secretOf.get(path) ?? '', String(headers['x-service-signature']), body, new Date(at))).toEqual({ ok: true })
  // Every event is in one delivery only, so repeated announcements made no second copy.
  const deliveriesOf = Map.groupBy(
    [...bodies].flatMap(([id, [one]]) => (one?.events ?? []).map((event) => ({ id, event: event.id }))),
    ({ event }) => event,
  )
  expect([...deliveriesOf.values()].filter((several) => several.length > 1)).toEqual([])
  expect(app.output()).toBe('')
})

// spec: webhooks/lost-attempt
test('a receiver during whose response the process dies is posted to five times, and other apps’ events arrive', async () => {
  const rig = await openRig()
  let app = startProcess(rig.environment)
  let deaths = 0
  const killer = await startReceiver(() => {
    deaths += 1
    void app.kill().then(() => (app = startProcess(rig.environment)))
  })
  const good = await startReceiver()
  const [strange, other] = await until(
    () => Promise.all([rig.givenWebhook(`${killer.url}/killer`), rig.givenWebhook(`${good.url}/good`)]),
    {
      what: 'endpoints',
    },
  )
  await rig.announce(givenEvents(strange.appId, 1))
  const logOf = async ({ appId, id }: Webhook) => (await rig.gateway.call(listDeliveries, { appId, webhookId: id, limit: 10 })).items
  for (let round = 1; round <= 5; round += 1) {
    await until(() => deaths >= round, { withinMs: 60_000, what: `death ${round}` })
    await rig.announce(givenEvents(other.appId, 1))
    await until(() => good.received.flatMap(({ events }) => events).length >= round, { withinMs: 60_000, what: `events of round ${round}` })
  }
  const [failed] = await until(
    () =>
      logOf(strange).then(
        (log) => log.some(({ state }) => state === 'failed') && log,
        () => false as const,
      ),
    { withinMs: 60_000, what: 'the delivery has failed' },
  )
  expect(failed?.attempts.map(({ error }) => error)).toEqual(Array(5).fill('network_error'))
  expect(deaths).toBe(5)
})
