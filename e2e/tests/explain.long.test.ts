import { isInSample } from '@herald/contracts/experiment'
import type { Explained, ExplainedStep, StepOf, Trace } from '@herald/contracts/explain'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { afterEach, expect, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'
import { givenManyDevices } from '../chaos/crowd.ts'
import { readyPid, signalAll } from '../chaos/processes.ts'
import {
  clockIn,
  givenDevices,
  ledgerOf,
  ok,
  read,
  sendCampaign,
  setDue,
  untilSettled,
  textOf,
  untilStatus,
  type Json,
} from './campaigns.ts'

// Explain through the complete platform: why a device got a send or did not. Every test has an app to itself.

const herald = await sharedPlatform()

afterEach(() => fetch(`${herald.simulator}/faults`, { method: 'DELETE' }))

const ask = (tenant: Tenant, campaignId: string, whom: Record<string, string>) =>
  tenant.admin<Explained>('GET', `/explain?${new URLSearchParams({ campaignId, ...whom }).toString()}`)
const explain = async (tenant: Tenant, campaignId: string, whom: Record<string, string>): Promise<Explained> =>
  ok(await ask(tenant, campaignId, whom), 200)
async function traceOf(tenant: Tenant, campaignId: string, subscriptionId: string): Promise<Trace> {
  const { devices } = await explain(tenant, campaignId, { subscriptionId })
  expect(devices).toHaveLength(1)
  return devices[0]!
}
const stepOf = <Name extends ExplainedStep['step']>({ steps }: Trace, name: Name): StepOf<Name> | undefined =>
  steps.find((step): step is StepOf<Name> => step.step === name)
const untilTrace = (tenant: Tenant, campaignId: string, subscriptionId: string, isMeant: (trace: Trace) => boolean): Promise<Trace> =>
  until(
    async () => {
      const trace = await traceOf(tenant, campaignId, subscriptionId)
      if (!isMeant(trace)) throw new Error(JSON.stringify(trace))
      return trace
    },
    { withinMs: 60_000, what: 'the trace that is meant' },
  )

const notify = async (tenant: Tenant, more: Json = { target: { all: true } }): Promise<string> =>
  ok(await tenant.call<{ id: string }>('POST', '/v1/notifications', { content: textOf('Hello'), ...more }), 202).id
const setSettings = async (tenant: Tenant, settings: Json) => ok(await tenant.admin('PATCH', '', { settings }), 200)

const proOnTen = {
  and: [
    { field: 'tags.plan', op: 'eq', value: 'pro' },
    { field: 'appVersion', op: 'gte', value: '10' },
  ],
}

// spec: administration/explain, administration/explain-steps, administration/explain-certainty
test('explain names the condition of the segment that left a user out, what it asked for, and what the user has', async () => {
  const tenant = await givenTenant(herald)
  const [free] = await givenDevices(tenant, 'android', 1, () => ({ externalId: 'free', tags: { plan: 'free' }, appVersion: '12.1' }))
  const id = await sendCampaign(tenant, { segment: proOnTen }, 'sending')
  await untilSettled(tenant, id)

  const { devices, user, status, startedAt } = await explain(tenant, id, { externalId: 'free' })
  const [trace] = devices

  expect({ user, status }).toEqual({ user: { id: free!.userId, externalId: 'free' }, status: 'sent' })
  expect(Date.parse(startedAt ?? '')).toBeLessThanOrEqual(Date.now())
  expect(trace).toMatchObject({
    subscriptionId: free!.id,
    platform: 'android',
    verdict: 'not_queued',
    certainty: 'likely',
    waitingFor: null,
    sentence: 'Not in the segment: tags.plan is free, wanted pro.',
  })
  expect(trace!.steps.map(({ step, result }) => `${step} ${result}`)).toEqual(['device pass', 'reachable pass', 'segment stop'])
  expect(stepOf(trace!, 'segment')).toEqual({
    step: 'segment',
    result: 'stop',
    basis: 'now',
    changedSince: false,
    leaves: [
      { path: 'segment.and.0', field: 'tags.plan', op: 'eq', wanted: 'pro', actual: 'free', matched: false },
      { path: 'segment.and.1', field: 'appVersion', op: 'gte', wanted: '10', actual: '12.1', matched: true },
    ],
  })
})

// spec: administration/explain-certainty
test('when a tag changes after a send, explain still says that the push was sent, shows the tag’s present value, and says that values may have changed since', async () => {
  const tenant = await givenTenant(herald)
  const [device] = await givenDevices(tenant, 'ios', 1, () => ({ externalId: 'pro', tags: { plan: 'pro' }, appVersion: '10.0' }))
  const id = await sendCampaign(tenant, { segment: proOnTen }, 'sending')
  await untilSettled(tenant, id)
  expect(stepOf(await traceOf(tenant, id, device!.id), 'segment')).toMatchObject({ result: 'pass', changedSince: false })

  ok(await tenant.call('PATCH', `/v1/users/${device!.userId}`, { tags: { plan: 'free' } }), 200)
  const trace = await traceOf(tenant, id, device!.id)

  expect(trace).toMatchObject({ verdict: 'sent', certainty: 'recorded', waitingFor: null })
  expect(stepOf(trace, 'segment')).toMatchObject({
    result: 'info',
    changedSince: true,
    leaves: [{ actual: 'free', matched: false }, { matched: true }],
  })
  expect(stepOf(trace, 'outcome')).toMatchObject({ result: 'pass', basis: 'recorded', outcome: 'sent', attempts: 1 })
  expect(stepOf(trace, 'message')).toMatchObject({ locale: 'en', truncated: false, dropped: [] })
})

// spec: administration/explain-waiting, tracking/attempts
test('for a push that is retried explain shows the time of the next attempt and the last answer; later it shows all answers in order', async () => {
  const tenant = await givenTenant(herald)
  const [device, other] = await givenDevices(tenant, 'ios', 2)
  await tenant.simulator('PUT', `/devices/${device!.device.id}/behaviour`, { answer: 'unavailable', times: 2 })
  const id = await notify(tenant)

  const retrying = await untilTrace(tenant, id, device!.id, ({ verdict, steps }) => {
    return verdict === 'retrying' && steps.some((step) => step.step === 'attempts' && step.attempts.length === 2)
  })
  expect(retrying).toMatchObject({ certainty: 'recorded', waitingFor: { kind: 'retry', code: 'provider_unavailable' } })
  expect(retrying.waitingFor?.kind === 'retry' && retrying.waitingFor.providerCode).toMatch(/^503/)
  expect(Date.parse(retrying.waitingFor?.kind === 'retry' ? retrying.waitingFor.at : '')).toBeGreaterThan(Date.now() - 10_000)

  await untilSettled(tenant, id)
  const sent = await traceOf(tenant, id, device!.id)
  expect(sent).toMatchObject({ verdict: 'sent', certainty: 'recorded' })
  const { attempts } = stepOf(sent, 'attempts')!
  expect(attempts.map(({ n, code }) => [n, code])).toEqual([
    [1, 'provider_unavailable'],
    [2, 'provider_unavailable'],
    [3, null],
  ])
  expect(attempts.map(({ at }) => at)).toEqual(attempts.map(({ at }) => at).toSorted())
  expect(stepOf(sent, 'outcome')).toMatchObject({ attempts: 3 })
  expect(stepOf(await traceOf(tenant, id, other!.id), 'attempts')?.attempts).toHaveLength(1)
})

// spec: administration/explain-steps
test('for a push that a frequency cap skipped explain lists the campaigns that used up the cap', async () => {
  const tenant = await givenTenant(herald)
  const [device] = await givenDevices(tenant, 'android', 1)
  await setSettings(tenant, { frequencyCap: { max: 2, windowSeconds: 3_600 } })
  const sends: string[] = []
  for (const _ of [1, 2, 3]) {
    const id = await notify(tenant)
    await untilSettled(tenant, id)
    sends.push(id)
  }
  // Explain uses the rules that were frozen with the send, not the rules that the app has now.
  await setSettings(tenant, { frequencyCap: null })

  const trace = await traceOf(tenant, sends[2]!, device!.id)

  expect(trace).toMatchObject({ verdict: 'skipped', certainty: 'recorded' })
  expect(trace.sentence).toContain('2 within 3600 seconds')
  const cap = stepOf(trace, 'frequency_cap')
  expect(cap).toMatchObject({ result: 'stop', basis: 'recorded', max: 2, windowSeconds: 3_600 })
  expect(cap!.counted.map(({ campaignId }) => campaignId)).toEqual([sends[1], sends[0]])
  expect(stepOf(trace, 'outcome')).toMatchObject({ outcome: 'skipped', code: 'frequency_cap', attempts: 0 })
  expect(await traceOf(tenant, sends[1]!, device!.id)).toMatchObject({ verdict: 'sent' })
})

// spec: administration/explain-waiting
test('explain says what a push waits for and until when: a draft, a schedule, a wave, a pause, an open circuit', async () => {
  const tenant = await givenTenant(herald)
  const [device] = await givenDevices(tenant, 'ios', 1, () => ({ timezone: 'Asia/Tokyo' }))
  const { id: draft } = ok(await tenant.call<{ id: string }>('POST', '/v1/campaigns', { name: 'Draft', content: textOf('Draft') }), 201)
  expect(await traceOf(tenant, draft, device!.id)).toMatchObject({ verdict: 'waiting', waitingFor: { kind: 'schedule', at: null } })

  const id = await sendCampaign(tenant, { schedule: { type: 'user_timezone', localTime: clockIn('Asia/Tokyo', 5) } }, 'scheduled')
  const { nextAt } = await read(tenant, id)
  const scheduled = await traceOf(tenant, id, device!.id)
  expect(scheduled).toMatchObject({ verdict: 'waiting', waitingFor: { kind: 'schedule', at: nextAt } })
  expect(stepOf(scheduled, 'wave')).toMatchObject({ zone: 'Asia/Tokyo', zoneKnown: true, at: nextAt, wave: null })

  await setDue(herald, id, new Date())
  const waiting = await untilTrace(tenant, id, device!.id, ({ waitingFor }) => waitingFor?.kind === 'wave')
  expect(waiting).toMatchObject({ verdict: 'waiting', waitingFor: { at: nextAt, wave: 1, of: 1 } })

  ok(await tenant.admin('POST', `/campaigns/${id}/pause`), 200)
  const paused = await untilTrace(tenant, id, device!.id, ({ waitingFor }) => waitingFor?.kind === 'paused')
  expect(paused.verdict).toBe('waiting')
  expect(paused.waitingFor?.kind === 'paused' && Date.parse(paused.waitingFor.at ?? '')).toBeGreaterThan(Date.now() + 86_400_000)

  const teamId = tenant.appId.slice(-10).toUpperCase()
  const keyId = teamId.split('').toReversed().join('')
  await tenant.simulator('POST', '/accounts', { kind: 'apns', teamId, keyId, bundleId: tenant.bundleId })
  const held = await untilTrace(tenant, await notify(tenant), device!.id, ({ verdict }) => verdict === 'held')
  expect(held).toMatchObject({ certainty: 'recorded', waitingFor: { kind: 'circuit', platform: 'ios', code: 'credentials_invalid' } })
  expect(Date.parse(held.waitingFor?.kind === 'circuit' ? (held.waitingFor.probeAt ?? '') : '')).toBeGreaterThan(Date.now() - 60_000)
  expect(stepOf(held, 'batch')?.circuit).toMatchObject({ code: 'credentials_invalid' })
})

// spec: administration/explain-steps, administration/explain
test('explain says when a device opted out, died or registered too late for a send, whether it has moved to another user or was deleted, and whether its user is in the sample', async () => {
  const tenant = await givenTenant(herald)
  const [out, dead, moved, gone] = await givenDevices(tenant, 'android', 4, (index) => ({ externalId: `user-${index}` }))
  ok(await tenant.call('PATCH', `/v1/subscriptions/${out!.id}`, { optedIn: false }), 200)
  await tenant.simulator('PUT', `/devices/${dead!.device.id}/behaviour`, { answer: 'dead' })
  const first = await notify(tenant)
  await untilSettled(tenant, first)
  const [late] = await givenDevices(tenant, 'android', 1)

  const optedOut = await traceOf(tenant, first, out!.id)
  expect(optedOut).toMatchObject({ verdict: 'not_queued', certainty: 'derived' })
  const { optedOutAt } = stepOf(optedOut, 'reachable')!
  expect(optedOut.sentence).toContain(optedOutAt)

  expect(await traceOf(tenant, first, dead!.id)).toMatchObject({ verdict: 'failed', certainty: 'recorded' })
  const second = await notify(tenant)
  await untilSettled(tenant, second)
  const invalidated = await traceOf(tenant, second, dead!.id)
  expect(invalidated).toMatchObject({ verdict: 'not_queued', certainty: 'derived' })
  const { invalidatedAt, invalidatedBy } = stepOf(invalidated, 'reachable')!
  expect(invalidatedBy).toEqual({ code: 'token_dead', campaignId: first })
  expect(invalidated.sentence).toContain(invalidatedAt)

  const registeredLater = await traceOf(tenant, first, late!.id)
  expect(registeredLater).toMatchObject({ verdict: 'not_queued', certainty: 'derived' })
  expect(registeredLater.sentence).toContain(stepOf(registeredLater, 'device')!.createdAt)

  const { userId } = ok(
    await tenant.call<{ userId: string }>('POST', `/v1/subscriptions/${moved!.id}/login`, { externalId: 'another' }),
    200,
  )
  const hasMoved = await traceOf(tenant, first, moved!.id)
  expect(hasMoved).toMatchObject({ verdict: 'sent' })
  expect(stepOf(hasMoved, 'owner')).toMatchObject({ result: 'info', queuedFor: moved!.userId, ownerNow: userId })
  // When explain is asked about the user for whom the push was queued, it finds the device in the ledger, although the device has moved to another
  // user.
  expect((await explain(tenant, first, { userId: moved!.userId })).devices.map(({ subscriptionId }) => subscriptionId)).toEqual([moved!.id])

  ok(await tenant.call('DELETE', `/v1/subscriptions/${gone!.id}`), 204)
  const deleted = await traceOf(tenant, first, gone!.id)
  expect(deleted).toMatchObject({ platform: 'android', verdict: 'sent', certainty: 'recorded' })
  expect(stepOf(deleted, 'device')).toMatchObject({ deleted: true })
  expect(stepOf(deleted, 'owner')).toMatchObject({ queuedFor: gone!.userId, ownerNow: null })
  expect((await ask(tenant, await notify(tenant), { subscriptionId: gone!.id })).status).toBe(404)

  const sampleRate = 0.5
  const variants = ['a', 'b'].map((id) => ({ id, name: id, content: textOf(id) }))
  const experiment = await sendCampaign(tenant, { experiment: { sampleRate, variants } }, 'sending')
  await untilSettled(tenant, experiment)
  for (const one of [moved!, late!]) {
    const inSample = isInSample(sampleRate, experiment, one === moved ? userId : one.userId)
    const trace = await traceOf(tenant, experiment, one.id)
    expect(stepOf(trace, 'experiment')).toMatchObject({ inSample, sampleRate })
    expect(trace).toMatchObject(inSample ? { verdict: 'sent' } : { verdict: 'not_queued', certainty: 'derived' })
  }
})

// spec: administration/explain
test('explain refuses a wrong request and names the field, and answers 404 for an unknown campaign, device or user', async () => {
  const [tenant, other] = [await givenTenant(herald), await givenTenant(herald)]
  const [device] = await givenDevices(tenant, 'web', 1)
  const id = await notify(tenant)
  await untilSettled(tenant, id)
  const unknown = '0'.repeat(24)
  const pathsOf = async (campaignId: string, whom: Record<string, string>) => {
    const { status, body } = await tenant.admin<{ error: { details: { path: string }[] } }>(
      'GET',
      `/explain?${new URLSearchParams({ campaignId, ...whom }).toString()}`,
    )
    return [status, ...body.error.details.map(({ path }) => path)]
  }

  expect(await pathsOf(id, {})).toEqual([422, 'subscriptionId'])
  expect(await pathsOf(id, { subscriptionId: device!.id, userId: device!.userId })).toEqual([422, 'subscriptionId'])
  expect(await pathsOf('nothing', { subscriptionId: device!.id })).toEqual([422, 'campaignId'])
  expect((await ask(tenant, unknown, { subscriptionId: device!.id })).status).toBe(404)
  expect((await ask(tenant, id, { subscriptionId: unknown })).status).toBe(404)
  expect((await ask(tenant, id, { userId: unknown })).status).toBe(404)
  expect((await ask(tenant, id, { externalId: 'nobody' })).status).toBe(404)
  expect((await ask(other, id, { subscriptionId: device!.id })).status).toBe(404)
})

// spec: administration/explain-certainty
test(
  'while services are killed, explain never says of a queued push that it was not queued, and never changes an outcome that it has shown',
  { timeout: 240_000 },
  async () => {
    const tenant = await givenTenant(herald)
    const devices = await givenManyDevices({ herald, tenant }, 600)
    const some = devices.filter((_device, place) => place % 30 === 0).map(({ subscriptionId }) => subscriptionId)
    await tenant.simulator('PUT', '/devices/behaviour', { answer: 'unavailable', times: 1, share: 0.2 })
    const seen: { campaignId: string; trace: Trace }[] = []
    const sends: string[] = []
    for (const app of ['gateway', 'audience', 'campaigns', 'dispatcher', 'tracker', 'webhooks']) {
      await tenant.simulator('PUT', '/faults', { latencyMs: 200 })
      const campaignId = await notify(tenant)
      sends.push(campaignId)
      const pid = await until(() => readyPid(herald.dataDir, `${app}-1`), { withinMs: 30_000, what: `${app} is ready` })
      signalAll([pid], 'SIGKILL')
      for (const subscriptionId of some) {
        const answer = await ask(tenant, campaignId, { subscriptionId }).catch(() => undefined)
        const trace = answer?.status === 200 ? answer.body.devices[0] : undefined
        if (trace) seen.push({ campaignId, trace })
      }
      await until(() => readyPid(herald.dataDir, `${app}-1`) !== undefined && readyPid(herald.dataDir, `${app}-1`) !== pid, {
        withinMs: 60_000,
        what: `${app} is back`,
      })
    }
    for (const id of sends) await untilStatus(tenant, id, 'sent')

    const final = new Set(['sent', 'failed', 'skipped'])
    expect(seen.length).toBeGreaterThan(some.length)
    expect(seen.some(({ trace }) => trace.certainty === 'recorded' && !final.has(trace.verdict))).toBe(true)
    for (const campaignId of sends) {
      const ledger = new Map((await ledgerOf(tenant, campaignId)).map((row) => [row.subscriptionId, row]))
      expect(ledger.size).toBe(devices.length)
      for (const subscriptionId of some) {
        const now = await traceOf(tenant, campaignId, subscriptionId)
        expect(now).toMatchObject({ verdict: ledger.get(subscriptionId)?.outcome, certainty: 'recorded' })
        expect(stepOf(now, 'attempts')?.attempts).toHaveLength(ledger.get(subscriptionId)?.attempts ?? 0)
        const before = seen.filter((one) => one.campaignId === campaignId && one.trace.subscriptionId === subscriptionId)
        const verdicts = before.map(({ trace }) => trace.verdict)
        expect(verdicts).not.toContain('not_queued')
        expect(verdicts.filter((verdict) => final.has(verdict) && verdict !== now.verdict)).toEqual([])
      }
    }
  },
)
