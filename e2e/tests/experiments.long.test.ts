import { isHeldOut, type Holdout } from '@herald/contracts/holdout'
import type { Winner } from '@herald/contracts/campaign'
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { onDatabase } from '../chaos/platform.ts'
import { readyPid, signalAll } from '../chaos/processes.ts'
import { sharedProcesses } from '../platform.ts'
import { givenDevices, pushesOf, sendCampaign, textOf, untilSettled } from './campaigns.ts'

// Experiments and the hold-out through the complete platform, with processes that are killed.

const herald = await sharedProcesses()

// spec: experiments/auto, experiments/report
test('an experiment with a planted difference sends the better variant by itself, once, while campaigns and tracker are killed', async () => {
  const tenant = await givenTenant(herald)
  const devices = await givenDevices(tenant, 'ios', 600, (index) => ({ externalId: `customer-${index}` }))
  const variants = ['a', 'b'].map((id) => ({ id, name: id, weight: 1, content: textOf(id) }))
  const auto = { metric: 'open', afterMinutes: 15, minUsers: 100, ifInconclusive: 'none' }
  const id = await sendCampaign(tenant, { name: 'Words', content: textOf('x'), experiment: { sampleRate: 0.6, variants, auto } }, 'sending')
  await untilSettled(tenant, id)
  const pushes = await pushesOf(tenant, id)
  const opened = pushes.filter(({ variant }, place) => variant === 'b' || place % 4 === 0)
  for (const { msgId } of opened) await tenant.call('POST', `/v1/e/o/${msgId}`)

  // The time that an experiment waits for its first look is over.
  await onDatabase(herald, (client) =>
    client.query(`update campaigns.campaigns set settled_at = now() - interval '20 minutes', winner_due_at = now() where id = $1`, [id]),
  )
  for (const name of ['campaigns-1', 'tracker-1']) signalAll([readyPid(herald.dataDir, name) ?? 0], 'SIGKILL')
  const read = async () => (await tenant.admin<{ winner: Winner | null }>('GET', `/campaigns/${id}`)).body.winner
  const winner = await until(async () => (await read()) ?? undefined, { withinMs: 150_000, what: 'the winner' })
  expect(winner).toMatchObject({ variant: 'b', by: null, decidedBy: 'significance' })
  await untilSettled(tenant, winner.campaignId)
  const rest = await pushesOf(tenant, winner.campaignId)
  expect(rest.every(({ title }) => title === 'b')).toBe(true)
  expect(new Set([...pushes, ...rest].map(({ deviceId }) => deviceId)).size).toBe(devices.length)
  expect(pushes.length + rest.length).toBe(devices.length)
  const { body } = await tenant.admin<{ items: { remainderOf: string | null }[] }>('GET', '/campaigns')
  expect(body.items.filter(({ remainderOf }) => remainderOf === id)).toHaveLength(1)
}, 300_000)

// spec: experiments/holdout-queued, experiments/uplift
test('who is held out gets no campaign at the simulator and every notification, and the uplift counts both groups', async () => {
  const tenant = await givenTenant(herald)
  const devices = await givenDevices(tenant, 'android', 200, (index) => ({ externalId: `customer-${index}` }))
  const { body } = await tenant.admin<{ settings: { holdout: Holdout } }>('PATCH', '', { settings: { holdout: { percent: 20 } } })
  const held = devices.filter(({ userId }) => isHeldOut(tenant.appId, body.settings.holdout, userId)).map(({ device }) => device.id)
  expect(held.length).toBeGreaterThan(10)

  const id = await sendCampaign(tenant, { name: 'News', content: textOf('News') }, 'sending')
  expect(await untilSettled(tenant, id)).toMatchObject({ queued: 200, sent: 200 - held.length, skipped: held.length })
  const got = (await pushesOf(tenant, id)).map(({ deviceId }) => deviceId)
  expect(got.filter((device) => held.includes(device))).toEqual([])
  const order = await tenant.call<{ id: string }>('POST', '/v1/notifications', {
    target: { subscriptionIds: devices.map((one) => one.id) },
    content: textOf('Order'),
  })
  expect(await untilSettled(tenant, order.body.id)).toMatchObject({ queued: 200, sent: 200 })
  const uplift = await tenant.admin('GET', `/campaigns/${id}/uplift?conversion=order`)
  expect(uplift.body).toMatchObject({ treated: { users: 200 - held.length, converted: 0 }, control: { users: held.length, converted: 0 } })
}, 120_000)
