import { until } from '@herald/testing/until'
import { afterEach, expect, test } from 'vitest'
import type { Row } from './testing/start-peers.ts'
import { sentTo, startRig } from './testing/start-rig.ts'

/** What happens to batches in work when their campaign is paused or cancelled. */

const rig = await startRig()
afterEach(() => rig.clean())

const idsOf = (row: Row) => row.recipients.map(({ subscriptionId }) => subscriptionId)

// spec: campaigns/pause, campaigns/cancel-under-way
test.each(['paused', 'cancelled'] as const)(
  'a send that is %s stops at once: unsent pushes go back uncounted, and no device gets two',
  async (flow) => {
    await rig.start({ DISPATCH_WINDOW: '8' })
    await rig.simulator.control('PUT', '/faults', { service: 'fcm', latencyMs: 200 })
    const [devices, others] = [await rig.androids(200), await rig.androids(20)]
    const row = rig.peers.queue('android', devices, { tries: 1 })
    const other = rig.peers.queue('android', others)
    await rig.peers.point(row)
    await until(() => rig.peers.outcomesOf(row).length > 10)
    rig.peers.changeFlow(row.campaignId, 'running')
    await rig.peers.point(other)

    rig.peers.changeFlow(row.campaignId, flow)
    const finish = await rig.finishOf(row)

    const sent = sentTo(row, finish)
    expect(sent.length).toBeLessThan(200)
    expect(new Set(finish.retries.map(({ tries }) => tries))).toEqual(new Set([1]))
    expect(
      rig.peers
        .outcomesOf(row)
        .map(({ subscriptionId }) => subscriptionId)
        .toSorted(),
    ).toEqual(sent.toSorted())
    expect(await rig.simulator.arrivedAt(devices)).toHaveLength(sent.length)
    // The batch of another campaign goes on.
    expect(sentTo(other, await rig.finishOf(other))).toHaveLength(20)
  },
)

test('when a campaign stops while the answer to a take is on its way, nothing of that batch is sent', async () => {
  await rig.start()
  const devices = await rig.androids(5)
  const granted = Promise.withResolvers<void>()
  const row = rig.peers.queue('android', devices, { answered: granted.promise })
  await rig.peers.point(row)
  await until(() => row.takes === 1)

  rig.peers.changeFlow(row.campaignId, 'paused')
  // The bus delivers messages in order, so when another batch is delivered, the broadcast has arrived too.
  const after = rig.peers.queue('android', await rig.androids(1))
  await rig.peers.point(after)
  await rig.finishOf(after)
  granted.resolve()

  expect((await rig.finishOf(row)).retries.map(({ subscriptionId }) => subscriptionId)).toEqual(idsOf(row))
  expect(await rig.simulator.arrivedAt(devices)).toEqual([])
})
