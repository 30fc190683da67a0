import { newId } from '@herald/contracts/ids'
import type { TestResult } from '@herald/contracts/test-send'
import { http, type Answer } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { sharedProcesses } from '../platform.ts'
import { readyPid, signalAll } from '../chaos/processes.ts'
import { ledgerOf, ok, pushesOf, sendCampaign, untilSettled, textOf, type Json, type Registered, type Shown } from './campaigns.ts'

// Tests, the sends to single devices, through the complete platform.

const herald = await sharedProcesses()

type Sent = { id: string; status: string; results: TestResult[] }

const test1 = (fields: Json): Json => ({ content: textOf('Hello'), ...fields })
const sendTest = (tenant: Tenant, body: Json, key?: string): Promise<Answer<Sent>> =>
  http<Sent>('POST', `${herald.baseUrl}/v1/admin/apps/${tenant.appId}/test-send`, {
    headers: { authorization: `Bearer ${herald.adminToken}`, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    body,
  })
const mark = async (tenant: Tenant, { id }: Pick<Registered, 'id'>): Promise<void> =>
  void ok(await tenant.admin('PATCH', `/subscriptions/${id}`, { test: true }), 200)
const register = async (tenant: Tenant, platform: 'ios' | 'android', more: Json = {}, behaviour?: Json): Promise<Registered> => {
  const [device] = await tenant.makeDevices(platform, 1, behaviour === undefined ? {} : { behaviour })
  if (!device) throw new Error('no device was made')
  return { device, ...(await tenant.register(device, more)) }
}
const titlesOf = async (tenant: Tenant, id: string) => (await pushesOf(tenant, id)).map(({ title }) => title)

// spec: administration/test-send-exempt
test('a test reaches at once a capped user in quiet hours, while campaigns are skipped for both', async () => {
  const tenant = await givenTenant(herald)
  const device = await register(tenant, 'ios', { externalId: 'ada', timezone: 'UTC' })
  await mark(tenant, device)
  ok(await tenant.admin('PATCH', '', { settings: { frequencyCap: { max: 1, windowSeconds: 3_600 } } }), 200)
  const first = await sendCampaign(tenant, {}, 'sending')
  expect(await untilSettled(tenant, first)).toMatchObject({ queued: 1, sent: 1 })
  const clock = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16)
  const quietHours = { start: clock(-60), end: clock(60), action: 'skip' }
  ok(await tenant.admin('PATCH', '', { settings: { quietHours } }), 200)

  const { status, body } = await sendTest(tenant, test1({ externalIds: ['ada'], mark: true }))

  expect(status).toBe(200)
  expect(body).toMatchObject({ status: 'sent', results: [{ subscriptionId: device.id, platform: 'ios', outcome: 'sent', attempts: 1 }] })
  expect(await titlesOf(tenant, body.id)).toEqual(['[Test] Hello'])
  const quiet = await sendCampaign(tenant, {}, 'sending')
  expect(await untilSettled(tenant, quiet)).toMatchObject({ queued: 1, skipped: 1 })
  expect(await ledgerOf(tenant, quiet)).toMatchObject([{ code: 'quiet_hours' }])
  ok(await tenant.admin('PATCH', '', { settings: { quietHours: null } }), 200)
  const capped = await sendCampaign(tenant, {}, 'sending')
  expect(await untilSettled(tenant, capped)).toMatchObject({ queued: 1, skipped: 1 })
  expect(await ledgerOf(tenant, capped)).toMatchObject([{ code: 'frequency_cap' }])
})

// spec: administration/test-send-answer, administration/test-send-exempt
test('when a provider calls a token dead, the test says so, the device is invalidated, and later tests queue nothing', async () => {
  const tenant = await givenTenant(herald)
  const wrong = await register(tenant, 'ios', { externalId: 'ada' }, { answer: 'bad_token' })
  const dead = await register(tenant, 'android', { externalId: 'ada' }, { answer: 'dead' })
  const fine = await register(tenant, 'android', { externalId: 'ada' })
  for (const device of [wrong, dead, fine]) await mark(tenant, device)
  const of = (results: TestResult[], { id }: Registered) => results.find(({ subscriptionId }) => subscriptionId === id)

  const first = ok(await sendTest(tenant, test1({ subscriptionIds: [wrong.id, dead.id, fine.id] })), 200)

  expect(of(first.results, wrong)).toMatchObject({
    outcome: 'failed',
    code: 'token_invalid',
    providerCode: '400 BadDeviceToken',
    attempts: 1,
  })
  expect(of(first.results, dead)).toMatchObject({ outcome: 'failed', code: 'token_dead', attempts: 1 })
  expect(of(first.results, fine)).toMatchObject({ outcome: 'sent', code: null })
  const again = await until(
    async () => {
      const { results } = ok(await sendTest(tenant, test1({ externalIds: ['ada'] })), 200)
      return results.filter(({ outcome }) => outcome === 'not_queued').length === 2 && results
    },
    { what: 'both devices are invalidated' },
  )
  for (const device of [wrong, dead]) expect(of(again, device)).toMatchObject({ outcome: 'not_queued', code: 'invalidated', attempts: 0 })
  expect(of(again, fine)).toMatchObject({ outcome: 'sent' })
})

// spec: administration/test-send, sending/committed, limits/idempotency-replay
test('when a gateway is killed while a test waits, the client’s repeat with the key sends no second push', async () => {
  const tenant = await givenTenant(herald)
  const device = await register(tenant, 'ios', {}, { answer: 'slow', delayMs: 3_000 })
  const key = newId()
  const body = test1({ subscriptionId: device.id })
  const arrived = async () => {
    const { pushes } = await tenant.simulator<{ pushes: unknown[] }>('GET', `/pushes?deviceId=${device.device.id}`)
    return pushes.length
  }

  const unheard = sendTest(tenant, body, key).then(
    () => 'answered',
    () => 'no answer',
  )
  // The provider has the push and has not answered yet, so the gateway is waiting for the outcome.
  await until(async () => (await arrived()) === 1, { what: 'the push' })
  signalAll([readyPid(herald.dataDir, 'gateway-1') ?? 0], 'SIGKILL')
  expect(await unheard).toBe('no answer')
  const answered = await until(
    async () => {
      const answer = await sendTest(tenant, body, key)
      return answer.status === 200 && answer
    },
    { what: 'the answer' },
  )

  expect(answered.headers.get('idempotent-replayed')).toBe('true')
  expect(answered.body).toMatchObject({ status: 'sent', results: [{ subscriptionId: device.id, outcome: 'sent', attempts: 1 }] })
  expect(await arrived()).toBe(1)
  expect(ok(await tenant.admin<{ items: Shown[] }>('GET', '/campaigns?test=true'), 200).items).toHaveLength(1)
})

// spec: administration/test-send-answer
test('when a provider puts a push off, a test is 202, and a repeat gives the missing results', async () => {
  const tenant = await givenTenant(herald)
  const busy = await register(tenant, 'android', {}, { answer: 'rate_limited', retryAfterSeconds: 12, times: 1 })
  const fine = await register(tenant, 'ios')
  for (const device of [busy, fine]) await mark(tenant, device)
  const key = newId()
  const body = test1({ subscriptionIds: [busy.id, fine.id] })

  const first = await sendTest(tenant, body, key)

  expect(first).toMatchObject({ status: 202, body: { status: 'sending', results: [{ subscriptionId: fine.id, outcome: 'sent' }] } })
  const whole = await until(
    async () => {
      const answer = await sendTest(tenant, body, key)
      return answer.status === 200 && answer.body
    },
    { what: 'the whole answer' },
  )
  expect(whole.id).toBe(first.body.id)
  expect(whole.results).toHaveLength(2)
  expect(whole.results.find(({ subscriptionId }) => subscriptionId === busy.id)).toMatchObject({ outcome: 'sent', attempts: 2 })
})
