import { newId } from '@herald/contracts/ids'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { sharedProcesses } from '../platform.ts'
import { readyPid, signalAll } from '../chaos/processes.ts'
import { givenDevices, pushesOf, textOf, untilSettled, type Registered } from './campaigns.ts'

// Conversions through the complete platform, with processes that are killed.

const herald = await sharedProcesses()
let tenant: Tenant
let devices: Registered[]

beforeAll(async () => {
  tenant = await givenTenant(herald)
  devices = await givenDevices(tenant, 'ios', 3, (index) => ({ externalId: `customer-${index}` }))
})

type Result = { status: string; attribution?: { campaignId: string; how: string } }
type Conversions = Record<string, { count: number; direct: number; influenced: number; users: number; value: Record<string, string> }>

async function sendTo(externalId: string): Promise<string> {
  const { body } = await tenant.call<{ id: string }>('POST', '/v1/notifications', {
    target: { externalIds: [externalId] },
    content: textOf('Hello'),
  })
  await untilSettled(tenant, body.id)
  return body.id
}
async function open(campaignId: string): Promise<void> {
  const [push] = await pushesOf(tenant, campaignId)
  await tenant.call('POST', `/v1/e/o/${push?.msgId}`)
}
const conversionsOf = async (campaignId: string) =>
  (await tenant.call<{ stats: { conversions?: Conversions } }>('GET', `/v1/campaigns/${campaignId}/stats`)).body.stats.conversions
const event = (index: number, fields: object = {}) => ({
  ...{ id: newId(), externalId: `customer-${index}`, name: 'order', at: new Date().toISOString(), value: 0.1, currency: 'EUR' },
  ...fields,
})
const report = (events: object[]) => tenant.call<{ results: Result[] }>('POST', '/v1/conversions', { events })
/** Repeats a report until it is answered, as a backend does. */
const reportUntilHeard = (events: object[]) =>
  until(
    async () => {
      const { status, body } = await report(events)
      if (status !== 200) throw new Error(String(status))
      return body.results
    },
    { withinMs: 60_000, what: 'the answer to a report' },
  )

// spec: conversions/once, conversions/attribution
test('an order reported 50 times at once, while tracker and audience are killed, counts once for the opened push', async () => {
  const opened = await sendTo('customer-0')
  await open(opened)
  const later = await sendTo('customer-0')
  const one = event(0)

  const all = Array.from({ length: 50 }, () => reportUntilHeard([one]))
  for (const name of ['tracker-1', 'audience-1']) signalAll([readyPid(herald.dataDir, name) ?? 0], 'SIGKILL')
  const answers = (await Promise.all(all)).flat()

  expect(answers.filter(({ status }) => status === 'counted').length).toBeLessThanOrEqual(1)
  for (const { attribution } of answers) expect(attribution).toEqual({ campaignId: opened, how: 'direct' })
  expect(await reportUntilHeard([one])).toMatchObject([{ status: 'duplicate' }])
  expect(await conversionsOf(opened)).toEqual({ order: { count: 1, direct: 1, influenced: 0, users: 1, value: { EUR: '0.10' } } })
  expect(await conversionsOf(later)).toBeUndefined()
}, 120_000)

// spec: conversions/own-pushes, conversions/report-device
test('a device moved to another user reports for its new owner, without the old owner’s push', async () => {
  const before = await sendTo('customer-1')
  await open(before)
  const device = devices[1]?.id ?? ''
  await tenant.call('POST', `/v1/subscriptions/${device}/login`, { externalId: 'somebody-else' })
  const { externalId: _, value: __, currency: ___, ...bare } = event(1)
  const { body } = await tenant.call<Result>('POST', `/v1/subscriptions/${device}/conversions`, bare)
  expect(body).toEqual({ id: bare.id, status: 'counted' })
  expect(await reportUntilHeard([event(1)])).toMatchObject([{ attribution: { campaignId: before, how: 'direct' } }])
})

// spec: conversions/erased
test('with a user the user’s conversions are erased: another report of the user is of nobody', async () => {
  await sendTo('customer-2')
  expect(await reportUntilHeard([event(2)])).toMatchObject([{ status: 'counted', attribution: { how: 'influenced' } }])
  const { body } = await tenant.call<{ id: string }>('GET', '/v1/users/by-external-id/customer-2')
  expect((await tenant.admin<{ conversions: object[] }>('GET', `/users/${body.id}`)).body.conversions).toHaveLength(1)
  await tenant.call('DELETE', '/v1/users/by-external-id/customer-2')
  expect(await reportUntilHeard([event(2), event(0)])).toMatchObject([{ status: 'unknown_user' }, { status: 'counted' }])
})
