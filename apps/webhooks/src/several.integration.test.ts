import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { startReceiver } from './testing/receiver.ts'
import { givenEvents, openRig } from './testing/rig.ts'

// spec: webhooks/apart
test('when two instances of webhooks run each event is posted once, at most two at once per endpoint', async () => {
  const rig = await openRig()
  let [now, most] = [0, 0]
  const receiver = await startReceiver((_one, response) => {
    now += 1
    most = Math.max(most, now)
    setTimeout(() => {
      now -= 1
      response.writeHead(204).end()
    }, 30)
  })
  await Promise.all([rig.start(), rig.start()])
  const { appId } = await rig.givenWebhook(receiver.url)
  await Promise.all(Array.from({ length: 10 }, () => rig.announce(givenEvents(appId, 300))))

  await until(() => receiver.received.reduce((sum, { events }) => sum + events.length, 0) >= 3_000)
  const ids = receiver.received.flatMap(({ events }) => events.map(({ id }) => id))
  expect(new Set(ids).size).toBe(3_000)
  expect(ids).toHaveLength(3_000)
  expect(most).toBe(2)
})

test('when webhooks is stopped and started again, every event is posted and no delivery is posted twice', async () => {
  const rig = await openRig()
  const receiver = await startReceiver((_one, response) => void setTimeout(() => response.writeHead(204).end(), 50))
  const stop = await rig.start()
  const { appId } = await rig.givenWebhook(receiver.url)
  await rig.announce(givenEvents(appId, 900))
  await until(() => receiver.received.length > 0)
  await stop()
  await rig.start()

  await until(() => receiver.received.reduce((sum, { events }) => sum + events.length, 0) >= 900)
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(receiver.received.length)
})
