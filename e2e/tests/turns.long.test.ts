import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'

// Two apps on one platform take turns: while many pushes of one app wait, a push of the other app waits for one turn, not for all of them.

const floodSize = 1_500
const content = { _default: 'en', en: { title: 'Hello', body: 'There is news' } }

const herald = await sharedPlatform()
let flooding: Tenant
let honest: Tenant

beforeAll(async () => {
  ;[flooding, honest] = await Promise.all([givenTenant(herald), givenTenant(herald)])
})

async function givenDevice(tenant: Tenant): Promise<{ id: string; device: string }> {
  const [device] = await tenant.makeDevices('android', 1)
  if (!device) throw new Error('the simulator made no device')
  return { id: (await tenant.register(device)).id, device: device.id }
}
async function send(tenant: Tenant, subscriptionId: string): Promise<string> {
  const answer = await tenant.call<{ id: string }>('POST', '/v1/notifications', { target: { subscriptionIds: [subscriptionId] }, content })
  if (answer.status !== 202) throw new Error(`a send was answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body.id
}
const isSent = async (tenant: Tenant, campaignId: string) =>
  (await tenant.call<{ status: string }>('GET', `/v1/campaigns/${campaignId}/stats`)).body.status === 'sent'

// spec: sending/turns
test('a send of one app settles while many of the 1,500 earlier sends of another app are still under way', async () => {
  const [of, ofHonest] = [await givenDevice(flooding), await givenDevice(honest)]
  const behaves = (answer: 'slow' | 'ok') => flooding.simulator('PUT', `/devices/${of.device}/behaviour`, { answer })
  // The device of the flooding app answers each push only after 3 s, so the pushes of that app wait, however fast Herald sends them.
  await behaves('slow')
  const sent: string[] = []
  let next = 0
  const sender = async () => {
    while (next++ < floodSize) sent.push(await send(flooding, of.id))
  }
  await Promise.all(Array.from({ length: 64 }, sender))

  const campaignId = await send(honest, ofHonest.id)
  await until(() => isSent(honest, campaignId), { withinMs: 60_000, what: 'the send of the honest app' })

  const late = sent.slice(-floodSize / 10)
  const left = await Promise.all(late.slice(0, 20).map(async (id) => !(await isSent(flooding, id))))
  expect(left.filter(Boolean).length).toBeGreaterThan(15)
  await behaves('ok')
  await until(() => isSent(flooding, late.at(-1) ?? ''), { withinMs: 200_000, what: 'the last send of the flooding app' })
}, 300_000)
