import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isInSample, variantOf } from '@herald/contracts/experiment'
import type { Stats } from '@herald/contracts/stats'
import type { WebhookEvent } from '@herald/contracts/webhook'
import { makeServerCertificate } from '@herald/embedded/certificate'
import { freshDataDir, removeDataDir, startHerald, type Answer, type Herald } from '@herald/testing/herald'
import { insertAndroids } from '@herald/testing/many-devices'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  beginNextWave,
  clockIn,
  devicesOf,
  givenDevices,
  idsOf,
  ledgerOf,
  ok,
  pushesOf,
  read,
  sendCampaign,
  setDue,
  untilSettled,
  textOf,
  untilStatus,
  type Json,
  type Registered,
  type Shown,
} from './campaigns.ts'

// Campaigns through the complete platform, from experiments to the deletion of an app. Every test makes its own apps.

const schemas = ['gateway', 'audience', 'campaigns', 'tracker', 'webhooks'] as const
type Schema = (typeof schemas)[number]

const directory = mkdtempSync(join(tmpdir(), 'herald-e2e-engine-'))
const { ca, certificate, privateKey } = makeServerCertificate(new Date(), 2)
const events: WebhookEvent[] = []
const receiver = createServer({ cert: certificate, key: privateKey }, (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    events.push(...(JSON.parse(Buffer.concat(chunks).toString()) as { events: WebhookEvent[] }).events)
    response.writeHead(204).end()
  })
})
const dataDir = freshDataDir()
let herald: Herald

beforeAll(async () => {
  const authority = join(directory, 'ca.pem')
  writeFileSync(authority, ca)
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  // A small window of pushes, so that a send to thousands takes seconds and can be changed while it is under way.
  herald = await startHerald({ dataDir, env: { NODE_EXTRA_CA_CERTS: authority, WEBHOOK_ALLOW_PRIVATE: 'true', DISPATCH_WINDOW: '200' } })
})
afterEach(() => fetch(`${herald.simulator}/faults`, { method: 'DELETE' }))
afterAll(async () => {
  await herald.stop()
  receiver.closeAllConnections()
  receiver.close()
  removeDataDir(dataDir)
  rmSync(directory, { recursive: true, force: true })
})

const everyone = { target: { all: true } }

/**
 * Runs one SQL statement with the role of a service: to write quickly what would take long over HTTP, and to look for rows that should be deleted.
 */
async function query<Row extends pg.QueryResultRow>(schema: Schema, text: string, values: unknown[] = []): Promise<Row[]> {
  const { passwords } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as { passwords: Record<string, string> }
  const { postgres } = JSON.parse(readFileSync(join(dataDir, 'ports.json'), 'utf8')) as { postgres: number }
  const client = new pg.Client({
    host: '127.0.0.1',
    port: postgres,
    user: `herald_${schema}`,
    password: passwords[schema],
    database: 'herald',
  })
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}

const codeOf = async (asked: Promise<Answer<Json>>): Promise<string> => {
  const { status, body } = await asked
  return `${status} ${String((body['error'] as Json)['code'])}`
}
const notify = async (tenant: Tenant, more: Json = everyone): Promise<string> =>
  ok(await tenant.call<{ id: string }>('POST', '/v1/notifications', { content: textOf('Hello'), ...more }), 202).id
const draft = async (tenant: Tenant, campaign: Json = {}): Promise<string> =>
  ok(await tenant.call<{ id: string }>('POST', '/v1/campaigns', { name: 'Draft', content: textOf('Draft'), ...campaign }), 201).id

/** Writes many devices, each with an anonymous user, directly into the tables. Over HTTP thousands of devices would take most of a test's time. */
async function givenCrowd(tenant: Tenant, count: number): Promise<Set<string>> {
  const devices = await tenant.makeDevices('android', count)
  await query('audience', insertAndroids, [tenant.appId, devices.map(({ token }) => token)])
  return new Set(devices.map(({ id }) => id))
}

const accepted = async (tenant: Tenant): Promise<number> =>
  (await tenant.simulator<{ accepted: { total: number } }>('GET', '/summary?open=false')).accepted.total
const untilMoreThan = (tenant: Tenant, count: number) =>
  until(async () => (await accepted(tenant)) > count, { withinMs: 30_000, what: `more than ${count} pushes` })

const setSettings = async (tenant: Tenant, settings: Json) => ok(await tenant.admin('PATCH', '', { settings }), 200)

// spec: experiments/one-variant-per-user, experiments/winner, experiments/remainder, experiments/only-the-sample
test('in an experiment every user of the sample gets one variant, the sample is about as large as its rate says, and the winner goes once to exactly the users outside the sample', async () => {
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

  expect(await codeOf(pick('0'.repeat(24), 'short'))).toBe('404 not_found')
  expect(await codeOf(pick(await notify(tenant, { target: { externalIds: ['nobody'] } }), 'short'))).toBe('409 not_an_experiment')
  expect(await codeOf(pick(await draft(tenant, { experiment: { sampleRate, variants } }), 'short'))).toBe('409 invalid_state')
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

// spec: experiments/winner-checks, experiments/no-remainder
test('a winner cannot be picked while the experiment is still sending, or when its sample was every user', async () => {
  const tenant = await givenTenant(herald)
  const [device] = await givenDevices(tenant, 'android', 1)
  await tenant.simulator('PUT', `/devices/${device!.device.id}/behaviour`, { answer: 'ok', delayMs: 1_500 })
  const variants = [
    { id: 'a', name: 'A', content: textOf('A') },
    { id: 'b', name: 'B', content: textOf('B') },
  ]
  const id = await sendCampaign(tenant, { experiment: { sampleRate: 1, variants } }, 'sending')
  const pick = () => tenant.call<Json>('POST', `/v1/campaigns/${id}/experiment/winner`, { variant: 'a' })
  expect(await codeOf(pick())).toBe('409 still_sending')
  await untilSettled(tenant, id)
  expect(await codeOf(pick())).toBe('409 no_remainder')
})

// spec: campaigns/user-timezone, campaigns/waves, campaigns/waves-once, campaigns/completed
test('a send at the user’s local time has a wave for each zone, reaches a user who moves between zones exactly once, and is completed after the last wave', async () => {
  const tenant = await givenTenant(herald)
  const url = `https://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  ok(await tenant.admin('POST', '/webhooks', { url, eventTypes: ['campaign.completed'] }), 201)
  const early = await givenDevices(tenant, 'android', 20, () => ({ timezone: 'Asia/Tokyo' }))
  const late = await givenDevices(tenant, 'ios', 20, () => ({ timezone: 'America/Lima' }))
  const schedule = { type: 'user_timezone', localTime: clockIn('Asia/Tokyo', 5) }
  const id = await sendCampaign(tenant, { schedule }, 'scheduled')
  const { nextAt } = await read(tenant, id)
  expect(Date.parse(nextAt ?? '') - Date.now()).toBeLessThan(5 * 60_000 + 1)

  await setDue(herald, id, new Date())
  await untilStatus(tenant, id, 'sending')
  await beginNextWave(herald, id)
  const first = await until(
    async () => {
      const pushes = await pushesOf(tenant, id)
      return pushes.length === early.length && pushes
    },
    { withinMs: 30_000, what: 'the first wave' },
  )
  expect(devicesOf(first)).toEqual(idsOf(early))
  expect((await read(tenant, id)).status).toBe('sending')
  const move = (one: Registered | undefined, timezone: string) => tenant.call('PATCH', `/v1/users/${one?.userId}`, { timezone })
  ok(await move(early[0], 'America/Lima'), 200)
  ok(await move(late[0], 'Asia/Tokyo'), 200)

  await beginNextWave(herald, id)
  expect(await untilSettled(tenant, id)).toMatchObject({ queued: 40, sent: 40, failed: 0, skipped: 0 })
  expect(devicesOf(await pushesOf(tenant, id))).toEqual(idsOf([...early, ...late]))
  const completed = () => events.filter(({ type, appId }) => type === 'campaign.completed' && appId === tenant.appId)
  await until(() => completed().length > 0, { withinMs: 20_000, what: 'campaign.completed' })
  expect(completed()).toMatchObject([{ campaignId: id, data: { queued: 40, byPlatform: { ios: 20, android: 20, web: 0 } } }])
})

// spec: sending/frequency-cap, sending/frequency-cap-claims, sending/bypass, sending/silent-exempt
test('a frequency cap counts a campaign once for a user with two devices; pushes above the cap are skipped, except those of silent sends and of sends that bypass it', async () => {
  const tenant = await givenTenant(herald)
  const users = await givenDevices(tenant, 'ios', 20, (index) => ({ externalId: `user-${index}` }))
  const second = await givenDevices(tenant, 'android', 20, (index) => ({ externalId: `user-${index}` }))
  const devices = [...users, ...second]
  await setSettings(tenant, { frequencyCap: { max: 2, windowSeconds: 3_600 } })
  const sent = async (more: Json = {}) => {
    const id = await notify(tenant, { ...everyone, ...more })
    return { id, stats: await untilSettled(tenant, id) }
  }
  for (const _ of [1, 2]) expect((await sent()).stats).toMatchObject({ queued: 40, sent: 40, skipped: 0 })
  const third = await sent()
  expect(third.stats).toMatchObject({ queued: 40, sent: 0, failed: 0, skipped: 40 })
  expect(await pushesOf(tenant, third.id)).toEqual([])
  const skipped = await ledgerOf(tenant, third.id, '&outcome=skipped&code=frequency_cap')
  expect(skipped.map(({ subscriptionId }) => subscriptionId).toSorted()).toEqual(devices.map(({ id }) => id).toSorted())
  expect((await sent({ bypass: { frequencyCap: true } })).stats).toMatchObject({ queued: 40, sent: 40, skipped: 0 })
  expect((await sent({ silent: true })).stats).toMatchObject({ queued: 40, sent: 40, skipped: 0 })
})

// spec: sending/quiet-hours-skip, sending/quiet-hours-hold, sending/bypass
test('quiet hours skip or hold pushes to users for whom it is night, unless the send bypasses quiet hours', async () => {
  const tenant = await givenTenant(herald)
  const asleep = await givenDevices(tenant, 'android', 10, () => ({ timezone: 'Asia/Tokyo' }))
  const awake = await givenDevices(tenant, 'ios', 10)
  const quiet = (action: 'skip' | 'hold') => ({
    defaultTimezone: 'America/Lima',
    quietHours: { start: clockIn('Asia/Tokyo', -60), end: clockIn('Asia/Tokyo', 60), action },
  })
  await setSettings(tenant, quiet('skip'))
  const skipping = await notify(tenant)
  expect(await untilSettled(tenant, skipping)).toMatchObject({ queued: 20, sent: 10, skipped: 10 })
  expect(devicesOf(await pushesOf(tenant, skipping))).toEqual(idsOf(awake))
  const skipped = await ledgerOf(tenant, skipping, '&code=quiet_hours')
  expect(skipped.map(({ subscriptionId }) => subscriptionId).toSorted()).toEqual(asleep.map(({ id }) => id).toSorted())

  await setSettings(tenant, quiet('hold'))
  const holding = await notify(tenant)
  await until(async () => (await read(tenant, holding)).stats.sent === 10, { withinMs: 30_000, what: 'the first wave' })
  expect(devicesOf(await pushesOf(tenant, holding))).toEqual(idsOf(awake))
  expect((await read(tenant, holding)).status).toBe('sending')
  await beginNextWave(herald, holding)
  expect(await untilSettled(tenant, holding)).toMatchObject({ queued: 20, sent: 20, skipped: 0 })
  expect(devicesOf(await pushesOf(tenant, holding))).toEqual(idsOf([...awake, ...asleep]))

  const bypassing = await notify(tenant, { ...everyone, bypass: { quietHours: true } })
  expect(await untilSettled(tenant, bypassing)).toMatchObject({ queued: 20, sent: 20, skipped: 0 })
})

// spec: campaigns/pause, campaigns/resume, campaigns/cancel-under-way
test('a pause stops a send within a second and a resume sends what is left, each device once; a cancel skips what is left, also of a paused send', async () => {
  const tenant = await givenTenant(herald)
  const count = 3_000
  const crowd = await givenCrowd(tenant, count)
  await tenant.simulator('PUT', '/faults', { service: 'fcm', latencyMs: 150 })
  /** Starts a send and waits until the simulator has accepted more than 300 of its pushes. */
  const underWay = async () => {
    const before = await accepted(tenant)
    const id = await sendCampaign(tenant, {}, 'sending')
    await untilMoreThan(tenant, before + 300)
    return id
  }
  const change = (id: string, what: string) => tenant.admin<Json>('POST', `/campaigns/${id}/${what}`)
  const expectCancelled = async (id: string) => {
    const { stats } = await untilStatus(tenant, id, 'cancelled')
    const pushes = await pushesOf(tenant, id)
    expect(stats.queued).toBe(stats.sent + stats.skipped)
    expect(stats).toMatchObject({ sent: pushes.length, failed: 0 })
    expect(stats.queued).toBeGreaterThan(stats.sent)
    expect(new Set(devicesOf(pushes)).size).toBe(pushes.length)
    expect(await ledgerOf(tenant, id, '&outcome=skipped&code=cancelled')).toHaveLength(stats.skipped)
    expect(await tenant.admin('GET', `/campaigns/${id}/verify`)).toMatchObject({ status: 200, body: { agrees: true } })
    expect(await codeOf(change(id, 'resume'))).toBe('409 invalid_state')
  }

  const paused = await underWay()
  expect(ok(await change(paused, 'pause'), 200)).toEqual({ status: 'paused' })
  const pausedAt = Date.now()
  expect(await codeOf(change(paused, 'pause'))).toBe('409 invalid_state')
  expect(await codeOf(tenant.call('POST', `/v1/campaigns/${paused}/send`))).toBe('409 invalid_state')
  // A pause must hold after one second. The send stays paused for two more seconds, so that a push in that time would be found.
  await until(() => Date.now() > pausedAt + 3_000)
  const resumedAt = Date.now()
  expect((await read(tenant, paused)).status).toBe('paused')
  expect(ok(await change(paused, 'resume'), 200)).toEqual({ status: 'sending' })
  expect(await untilSettled(tenant, paused)).toMatchObject({ queued: count, sent: count, failed: 0, skipped: 0 })
  const pushes = await pushesOf(tenant, paused)
  expect(pushes).toHaveLength(count)
  expect(new Set(devicesOf(pushes))).toEqual(crowd)
  expect(pushes.filter(({ at }) => at > pausedAt + 1_000 && at < resumedAt)).toEqual([])
  expect(pushes.filter(({ at }) => at >= resumedAt).length).toBeGreaterThan(0)

  const cancelled = await underWay()
  expect(await codeOf(tenant.call('POST', `/v1/campaigns/${cancelled}/cancel`))).toBe('409 invalid_state')
  expect(ok(await change(cancelled, 'cancel'), 202)).toEqual({ status: 'sending', cancelling: true })
  await expectCancelled(cancelled)

  const cancelledInPause = await underWay()
  ok(await change(cancelledInPause, 'pause'), 200)
  expect(ok(await change(cancelledInPause, 'cancel'), 202)).toEqual({ status: 'paused', cancelling: true })
  await expectCancelled(cancelledInPause)
})

type Progress = { name: string; data: { status: string; stats: Stats; byPlatform: Record<string, { queued: number; settled: number }> } }

/** Reads a send's progress stream to its end, and gives its events. */
async function follow(tenant: Tenant, id: string): Promise<Progress[]> {
  const response = await fetch(`${herald.baseUrl}/v1/admin/apps/${tenant.appId}/campaigns/${id}/progress`, {
    headers: { authorization: `Bearer ${herald.adminToken}` },
    signal: AbortSignal.timeout(60_000),
  })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  return [...(await response.text()).matchAll(/event: (\w+)\ndata: (.*)\n\n/g)].map(([, name = '', data = '']) => ({
    name,
    data: JSON.parse(data) as Progress['data'],
  }))
}

// spec: administration/progress
test('two operators who follow a send both see its counters rise until the send ends', async () => {
  const tenant = await givenTenant(herald)
  const iosCount = 20
  await givenDevices(tenant, 'ios', iosCount)
  const androidCount = 1_000
  await givenCrowd(tenant, androidCount)
  await tenant.simulator('PUT', '/faults', { service: 'fcm', latencyMs: 700 })
  const id = await sendCampaign(tenant, {}, 'sending')

  for (const seen of await Promise.all([follow(tenant, id), follow(tenant, id)])) {
    const settled = seen.map(({ data }) => Object.values(data.byPlatform).reduce((sum, platform) => sum + platform.settled, 0))
    expect(settled).toEqual(settled.toSorted((one, other) => one - other))
    expect(new Set(settled).size).toBeGreaterThan(2)
    expect(seen.filter(({ name }) => name === 'end')).toHaveLength(1)
    expect(seen.at(-1)).toMatchObject({
      name: 'end',
      data: {
        status: 'sent',
        fannedOut: true,
        stats: { queued: iosCount + androidCount, sent: iosCount + androidCount },
        byPlatform: {
          ios: { queued: iosCount, settled: iosCount },
          android: { queued: androidCount, settled: androidCount },
          web: { queued: 0, settled: 0 },
        },
      },
    })
  }
})

// spec: administration/campaign-list, campaigns/replace-draft, campaigns/duplicate, administration/campaign-operations
test('an operator can list campaigns by status, kind and name, replace and delete drafts, and send, verify and duplicate a campaign', async () => {
  const tenant = await givenTenant(herald)
  await givenDevices(tenant, 'web', 3)
  const make = async (campaign: Json) =>
    ok(await tenant.admin<{ id: string }>('POST', '/campaigns', { content: textOf('Draft'), ...campaign }), 201).id
  const [spring, summer] = [await make({ name: 'Spring' }), await make({ name: 'Summer' })]
  const notified = await notify(tenant)
  await untilSettled(tenant, notified)
  type Page = { items: Shown[]; nextCursor: string | null }
  const list = async (asked: string) => ok(await tenant.admin<Page>('GET', `/campaigns?${asked}`), 200)
  const ids = async (asked: string) => (await list(asked)).items.map(({ id }) => id).toSorted()
  expect(await ids('status=draft')).toEqual([spring, summer].toSorted())
  expect(await ids('transactional=true')).toEqual([notified])
  expect(await ids('transactional=false&q=SUM')).toEqual([summer])
  expect((await list('status=sent')).items).toMatchObject([{ id: notified, stats: { queued: 3, sent: 3 } }])
  const walked: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Page = await list(`limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`)
    walked.push(...page.items.map(({ id }) => id))
    cursor = page.nextCursor
  }
  expect(walked.toSorted()).toEqual([spring, summer, notified].toSorted())

  const replacement = { name: 'Autumn', content: textOf('Replaced'), collapseId: 'autumn' }
  ok(await tenant.admin('PUT', `/campaigns/${summer}`, replacement), 200)
  expect(await read(tenant, summer)).toMatchObject({ ...replacement, status: 'draft', content: textOf('Replaced') })
  ok(await tenant.admin('DELETE', `/campaigns/${spring}`), 204)
  expect(await codeOf(tenant.admin('GET', `/campaigns/${spring}`))).toBe('404 not_found')

  expect(ok(await tenant.admin('POST', `/campaigns/${summer}/send`), 202)).toEqual({ status: 'sending' })
  expect(await untilSettled(tenant, summer)).toMatchObject({ queued: 3, sent: 3 })
  expect((await pushesOf(tenant, summer)).map(({ title }) => title)).toEqual(['Replaced', 'Replaced', 'Replaced'])
  expect(await codeOf(tenant.admin('PUT', `/campaigns/${summer}`, replacement))).toBe('409 invalid_state')
  expect(await codeOf(tenant.admin('DELETE', `/campaigns/${summer}`))).toBe('409 invalid_state')
  expect(ok(await tenant.admin('GET', `/campaigns/${summer}/verify`), 200)).toMatchObject({ agrees: true })

  const { id: copy } = ok(await tenant.admin<{ id: string }>('POST', `/campaigns/${summer}/duplicate`), 201)
  expect(await read(tenant, copy)).toMatchObject({ ...replacement, status: 'draft', stats: { queued: 0 } })
  expect(ok(await tenant.admin('POST', `/campaigns/${copy}/send`), 202)).toEqual({ status: 'sending' })
  expect(await untilSettled(tenant, copy)).toMatchObject({ queued: 3, sent: 3 })
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
test('when a provider refuses the credentials no push fails: the circuit opens, and with new credentials every held push is sent', async () => {
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

test('of two sends that an open circuit holds one is cancelled and one is paused: with new credentials the paused send is sent when it is resumed, not before', async () => {
  const tenant = await givenTenant(herald)
  const phones = await givenDevices(tenant, 'ios', 30)
  const credentials = await revokeApns(tenant)
  const [paused, cancelled] = [await sendCampaign(tenant, {}, 'sending'), await sendCampaign(tenant, {}, 'sending')]
  await untilHeld(tenant, 'apns', 60)

  ok(await tenant.admin('POST', `/campaigns/${cancelled}/cancel`), 202)
  expect((await untilStatus(tenant, cancelled, 'cancelled')).stats).toMatchObject({ queued: 30, sent: 0, failed: 0, skipped: 30 })
  ok(await tenant.admin('POST', `/campaigns/${paused}/pause`), 200)
  ok(await tenant.admin('PUT', '/providers/apns', credentials), 200)
  const other = await notify(tenant)
  expect(await untilSettled(tenant, other)).toMatchObject({ queued: 30, sent: 30 })
  expect(await read(tenant, paused)).toMatchObject({ status: 'paused', stats: { queued: 30, sent: 0, failed: 0, skipped: 0 } })
  ok(await tenant.admin('POST', `/campaigns/${paused}/resume`), 200)
  expect(await untilSettled(tenant, paused)).toMatchObject({ queued: 30, sent: 30, failed: 0 })
  expect(devicesOf(await pushesOf(tenant, paused))).toEqual(idsOf(phones))
})

// spec: campaigns/resume, campaigns/cancel-under-way
test('between its waves a send can be paused, resumed and cancelled: a paused send begins no wave, and a cancelled send queues nothing for its next wave', async () => {
  const tenant = await givenTenant(herald)
  const early = await givenDevices(tenant, 'android', 5, () => ({ timezone: 'Asia/Tokyo' }))
  const late = await givenDevices(tenant, 'ios', 5, () => ({ timezone: 'America/Lima' }))
  const afterFirstWave = async () => {
    const schedule = { type: 'user_timezone', localTime: clockIn('Asia/Tokyo', 5) }
    const id = await sendCampaign(tenant, { schedule }, 'scheduled')
    await setDue(herald, id, new Date())
    await beginNextWave(herald, id)
    await until(async () => (await read(tenant, id)).stats.sent === 5, { withinMs: 30_000, what: 'the first wave' })
    return id
  }
  const resumed = await afterFirstWave()
  expect(ok(await tenant.admin('POST', `/campaigns/${resumed}/pause`), 200)).toEqual({ status: 'paused' })
  await beginNextWave(herald, resumed)
  // Another send is not held up by the paused one.
  await untilSettled(tenant, await notify(tenant))
  expect(await read(tenant, resumed)).toMatchObject({ status: 'paused', stats: { queued: 5, sent: 5 } })
  expect(ok(await tenant.admin('POST', `/campaigns/${resumed}/resume`), 200)).toEqual({ status: 'sending' })
  expect(await untilSettled(tenant, resumed)).toMatchObject({ queued: 10, sent: 10 })
  expect(devicesOf(await pushesOf(tenant, resumed))).toEqual(idsOf([...early, ...late]))

  const cancelled = await afterFirstWave()
  expect((await tenant.admin('POST', `/campaigns/${cancelled}/cancel`)).status).toBe(202)
  expect((await untilStatus(tenant, cancelled, 'cancelled')).stats).toMatchObject({ queued: 5, sent: 5, skipped: 0 })
  expect(devicesOf(await pushesOf(tenant, cancelled))).toEqual(idsOf(early))
})

/**
 * Tables that keep rows about a deleted app on purpose: the audit, the marks that say that the app was erased, and `audience.fan_outs`, whose emptied
 * rows are needed by pointers that arrive late.
 */
const staying = new Set(['gateway.audit', 'campaigns.erased_apps', 'audience.erased_apps', 'tracker.erased_apps', 'audience.fan_outs'])

/** Lists the tables that have a row with any of these ids, without the tables of `staying`. */
async function tablesWith(ids: string[]): Promise<string[]> {
  const found: string[] = []
  for (const schema of schemas) {
    const tables = await query<{ name: string }>(
      schema,
      `select table_name as name from information_schema.tables where table_schema = $1 and table_type = 'BASE TABLE'`,
      [schema],
    )
    expect(tables.length).toBeGreaterThan(1)
    const counts = tables.map(
      ({ name }) =>
        `select '${schema}.${name}' as name where exists (select from ${schema}."${name}" as row where to_jsonb(row)::text ~ $1)`,
    )
    found.push(...(await query<{ name: string }>(schema, counts.join(' union all '), [ids.join('|')])).map(({ name }) => name))
  }
  return found.filter((name) => !staying.has(name))
}

// spec: administration/delete-app
test('deleting an app during a send removes its data and keys from every schema, except the audit, the marks that it was erased and the emptied rows of its sends; a send of another app goes on to its end', async () => {
  const [tenant, other] = [await givenTenant(herald), await givenTenant(herald)]
  await givenCrowd(tenant, 2_000)
  const known = await givenDevices(tenant, 'ios', 3, (index) => ({ externalId: `user-${index}` }))
  const otherCount = 200
  await givenDevices(other, 'android', otherCount)
  ok(await tenant.call('POST', '/v1/segments', { name: 'Everyone', definition: {} }), 201)
  ok(await tenant.call('POST', '/v1/templates', { name: 'News', content: textOf('News') }), 201)
  const url = `https://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  ok(await tenant.admin('POST', '/webhooks', { url }), 201)
  const draftId = await draft(tenant)
  const earlier = await notify(tenant, { target: { externalIds: ['user-0'] } })
  await untilSettled(tenant, earlier)
  const [push] = await pushesOf(tenant, earlier)
  const recurring = { schedule: { type: 'recurring', every: 'day', localTime: '12:00', timezone: 'UTC' } }
  const active = await sendCampaign(tenant, recurring, 'active')
  const ids = [tenant.appId, draftId, earlier, active, ...known.flatMap(({ id, userId }) => [id, userId])]
  expect((await tablesWith(ids)).length).toBeGreaterThan(10)

  await tenant.simulator('PUT', '/faults', { service: 'fcm', latencyMs: 250 })
  const before = await accepted(tenant)
  const [sending, paused] = [await sendCampaign(tenant, {}, 'sending'), await sendCampaign(tenant, {}, 'sending')]
  const otherSending = await sendCampaign(other, {}, 'sending')
  await untilMoreThan(tenant, before + 300)
  ok(await tenant.admin('POST', `/campaigns/${paused}/pause`), 200)
  ok(await tenant.admin('DELETE', ''), 204)

  expect(await codeOf(tenant.admin('GET', ''))).toBe('404 not_found')
  await until(async () => (await codeOf(tenant.call('GET', `/v1/campaigns/${sending}/stats`))) === '401 unauthorized', {
    withinMs: 20_000,
    what: 'the key is refused',
  })
  await expect(tenant.register(known[0]!.device)).rejects.toThrow('got 401')
  expect(await untilSettled(other, otherSending)).toMatchObject({ queued: otherCount, sent: otherCount })
  const nothing = async () => {
    const left = await tablesWith([...ids, sending, paused])
    const full = await query('audience', 'select from fan_outs where app_id = $1 and num_nonnulls(send, target, due_at) > 0', [
      tenant.appId,
    ])
    if (left.length + full.length > 0) throw new Error(`${left.join(', ')}; fan-outs not emptied: ${full.length}`)
    return true
  }
  await until(nothing, { withinMs: 60_000, what: 'nothing left' })
  expect(await untilSettled(other, await notify(other))).toMatchObject({ queued: otherCount, sent: otherCount })
  // Pushes that were under way at the deletion have been answered by now. Their answers, and later reports of devices, make no new rows of the app.
  expect((await other.call('POST', `/v1/e/o/${push!.msgId}`)).status).toBe(204)
  expect(await nothing()).toBe(true)
})

// spec: campaigns/recurring
test('a recurring campaign makes one run when an occurrence is due, stays active, and ends when it is cancelled', async () => {
  const tenant = await givenTenant(herald)
  const devices = await givenDevices(tenant, 'android', 5)
  // The occurrence is at the beginning of this minute: today's occurrence was less than a minute ago, and the next one is tomorrow's.
  const occurrence = new Date(Math.floor(Date.now() / 60_000) * 60_000)
  const localTime = occurrence.toISOString().slice(11, 16)
  const id = await sendCampaign(tenant, { schedule: { type: 'recurring', every: 'day', localTime, timezone: 'UTC' } }, 'active')
  const next = new Date(occurrence.getTime() + 86_400_000).toISOString()
  expect((await read(tenant, id)).nextAt).toBe(next)

  const runs = async () =>
    ok(await tenant.admin<{ items: Shown[] }>('GET', '/campaigns'), 200).items.filter(({ recurringOf }) => recurringOf === id)
  const makeDue = () => setDue(herald, id, occurrence)
  await makeDue()
  const [run] = await until(async () => ((await runs()).length > 0 ? runs() : undefined), { withinMs: 30_000, what: 'a run' })
  expect(await untilSettled(tenant, run!.id)).toMatchObject({ queued: 5, sent: 5 })
  expect(devicesOf(await pushesOf(tenant, run!.id))).toEqual(idsOf(devices))

  // Making the occurrence due a second time makes no second run.
  await makeDue()
  await until(async () => (await read(tenant, id)).nextAt === next, { what: 'the next occurrence' })
  expect((await runs()).map((one) => one.id)).toEqual([run!.id])
  expect(await read(tenant, id)).toMatchObject({ status: 'active', missedCount: 0, stats: { queued: 0 } })

  expect(ok(await tenant.call('POST', `/v1/campaigns/${id}/cancel`), 200)).toEqual({ status: 'cancelled' })
  expect(await read(tenant, id)).toMatchObject({ status: 'cancelled', nextAt: null })
  expect(await codeOf(tenant.call('POST', `/v1/campaigns/${id}/send`))).toBe('409 invalid_state')
  expect((await read(tenant, run!.id)).status).toBe('sent')
})
