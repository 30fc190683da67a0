import { isInSample, variantOf } from '@herald/contracts/experiment'
import type { Answer } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'
import {
  devicesOf,
  givenDevices,
  idsOf,
  ok,
  pushesOf,
  read,
  sendCampaign,
  untilSettled,
  textOf,
  untilStatus,
  type Json,
} from './campaigns.ts'

// An experiment with its winner, and sends that an open circuit holds. Every test makes its own app.

const herald = await sharedPlatform()

const codeOf = async (asked: Promise<Answer<Json>>): Promise<string> => {
  const { status, body } = await asked
  return `${status} ${String((body['error'] as Json)['code'])}`
}
const notify = async (tenant: Tenant, target: Json): Promise<string> =>
  ok(await tenant.call<{ id: string }>('POST', '/v1/notifications', { content: textOf('Hello'), target }), 202).id

// spec: experiments/one-variant-per-user, experiments/winner, experiments/remainder, experiments/only-the-sample
test('in an experiment each sample user gets one variant, and the winner goes once to exactly the others', async () => {
  const tenant = await givenTenant(herald)
  const users = await givenDevices(tenant, 'ios', 300, (index) => ({ externalId: `user-${index}` }))
  const second = await givenDevices(tenant, 'android', 60, (index) => ({ externalId: `user-${index}` }))
  const all = [...users, ...second]
  const variants = [
    { id: 'short', name: 'Short', weight: 1, content: textOf('Short') },
    { id: 'long', name: 'Long', weight: 3, content: textOf('Long') },
  ]
  const sampleRate = 0.4
  const id = await sendCampaign(tenant, { experiment: { sampleRate, variants } }, 'sending')
  const pick = (of: string, variant: string) => tenant.call<Json>('POST', `/v1/campaigns/${of}/experiment/winner`, { variant })
  const stats = await untilSettled(tenant, id)

  const inSample = all.filter(({ userId }) => isInSample(sampleRate, id, userId))
  const pushes = await pushesOf(tenant, id)
  expect(devicesOf(pushes)).toEqual(idsOf(inSample))
  for (const { userId, variant, title } of pushes) {
    expect(variant).toBe(variantOf(variants, id, userId).id)
    expect(title).toBe(variants.find((one) => one.id === variant)?.name)
  }
  const sampledUsers = new Set(pushes.map(({ userId }) => userId)).size
  expect(sampledUsers).toBeGreaterThan(300 * 0.25)
  expect(sampledUsers).toBeLessThan(300 * 0.55)

  const [toReport] = pushes
  expect((await tenant.call('POST', `/v1/e/d/${toReport!.msgId}`)).status).toBe(204)
  const { stats: counted } = await read(tenant, id)
  expect(counted).toMatchObject({ queued: pushes.length, sent: pushes.length, failed: 0, skipped: 0, delivered: 1 })
  for (const { id: variant } of variants) {
    expect(counted.variants?.[variant]).toMatchObject({
      sent: pushes.filter((push) => push.variant === variant).length,
      delivered: toReport!.variant === variant ? 1 : 0,
    })
  }
  expect(stats.variants?.['long']?.sent).toBeGreaterThan(stats.variants?.['short']?.sent ?? 0)

  expect(await codeOf(pick(id, 'unknown'))).toBe('422 unknown_variant')
  const answers = await Promise.all([pick(id, 'short'), pick(id, 'short')])
  const [won, lost] = answers.toSorted((one, other) => one.status - other.status)
  expect(won).toMatchObject({ status: 202, body: { status: 'sending' } })
  expect(lost).toMatchObject({ status: 409, body: { error: { code: 'winner_already_sent' } } })
  expect(await codeOf(pick(id, 'unknown'))).toBe('409 winner_already_sent')

  const winnerId = String(won!.body['id'])
  expect(await untilSettled(tenant, winnerId)).toMatchObject({ queued: all.length - pushes.length, sent: all.length - pushes.length })
  const remainder = await pushesOf(tenant, winnerId)
  expect([...devicesOf(pushes), ...devicesOf(remainder)].toSorted()).toEqual(idsOf(all))
  expect(new Set(remainder.map(({ title }) => title))).toEqual(new Set(['Short']))
  expect(await read(tenant, winnerId)).toMatchObject({ remainderOf: id, experiment: null })
})

/** Makes the app's APNs account again at the simulator, which revokes the key that Herald has. Gives the credentials with the new key. */
async function revokeApns(tenant: Tenant): Promise<Json> {
  const { appId, bundleId } = tenant
  const teamId = appId.slice(-10).toUpperCase()
  const keyId = teamId.split('').toReversed().join('')
  const { privateKey } = await tenant.simulator<{ privateKey: string }>('POST', '/accounts', { kind: 'apns', teamId, keyId, bundleId })
  return { teamId, keyId, privateKey, bundleId, environment: 'production' }
}
const untilHeld = (tenant: Tenant, kind: 'apns' | 'fcm', count: number) =>
  until(
    async () => {
      const { circuits } = ok(await tenant.admin<Circuits>('GET', `/providers/${kind}`), 200)
      return circuits.find(({ state, heldCount }) => state === 'open' && heldCount === count)
    },
    { withinMs: 30_000, what: `an open circuit of ${kind} that holds everything` },
  )
type Circuits = { circuits: { state: string; code: string | null; heldCount: number }[] }

// spec: providers/circuit-holds, providers/probe
test('when a provider refuses the credentials no push fails, and with new credentials every held push is sent', async () => {
  const tenant = await givenTenant(herald)
  const phones = await givenDevices(tenant, 'ios', 60)
  const androids = await givenDevices(tenant, 'android', 60)
  const apns = await revokeApns(tenant)
  const serviceAccount = await tenant.simulator<Json>('POST', '/accounts', { kind: 'fcm', projectId: tenant.projectId })

  const id = await sendCampaign(tenant, {}, 'sending')
  expect(await untilHeld(tenant, 'apns', 60)).toMatchObject({ code: 'credentials_invalid' })
  expect(await untilHeld(tenant, 'fcm', 60)).toMatchObject({ code: 'credentials_invalid' })
  expect(await read(tenant, id)).toMatchObject({ status: 'sending', stats: { queued: 120, sent: 0, failed: 0, skipped: 0 } })

  ok(await tenant.admin('PUT', '/providers/apns', apns), 200)
  ok(await tenant.admin('PUT', '/providers/fcm', { serviceAccount }), 200)
  expect(await untilSettled(tenant, id)).toMatchObject({ queued: 120, sent: 120, failed: 0, skipped: 0 })
  expect(devicesOf(await pushesOf(tenant, id))).toEqual(idsOf([...phones, ...androids]))
  for (const kind of ['apns', 'fcm']) {
    const { circuits } = ok(await tenant.admin<Circuits>('GET', `/providers/${kind}`), 200)
    expect(circuits.filter(({ state }) => state === 'open')).toEqual([])
  }
})

test('of two sends that an open circuit holds, one can be cancelled, one paused and sent when resumed', async () => {
  const tenant = await givenTenant(herald)
  const phones = await givenDevices(tenant, 'ios', 30)
  const credentials = await revokeApns(tenant)
  const [paused, cancelled] = [await sendCampaign(tenant, {}, 'sending'), await sendCampaign(tenant, {}, 'sending')]
  await untilHeld(tenant, 'apns', 60)

  ok(await tenant.admin('POST', `/campaigns/${cancelled}/cancel`), 202)
  expect((await untilStatus(tenant, cancelled, 'cancelled')).stats).toMatchObject({ queued: 30, sent: 0, failed: 0, skipped: 30 })
  ok(await tenant.admin('POST', `/campaigns/${paused}/pause`), 200)
  ok(await tenant.admin('PUT', '/providers/apns', credentials), 200)
  const other = await notify(tenant, { all: true })
  expect(await untilSettled(tenant, other)).toMatchObject({ queued: 30, sent: 30 })
  expect(await read(tenant, paused)).toMatchObject({ status: 'paused', stats: { queued: 30, sent: 0, failed: 0, skipped: 0 } })
  ok(await tenant.admin('POST', `/campaigns/${paused}/resume`), 200)
  expect(await untilSettled(tenant, paused)).toMatchObject({ queued: 30, sent: 30, failed: 0 })
  expect(devicesOf(await pushesOf(tenant, paused))).toEqual(idsOf(phones))
})
