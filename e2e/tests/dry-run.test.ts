import type { LedgerRow } from '@herald/contracts/calls/tracker'
import type { Platform } from '@herald/contracts/platform'
import { removeDataDir, startHerald, type Herald } from '@herald/testing/herald'
import { givenTenant, type Device, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onDatabase } from '../chaos/platform.ts'
import { recordedPushes } from '../chaos/verdict.ts'
import { clockIn, givenDevices, ledgerOf, ok, settle, untilStatus, type Json, type Registered } from './campaigns.ts'
import { openRandom, type Random } from './random.ts'

// Dry runs through the whole platform: what they say is held against what is then sent.

type DryRun = {
  audience: { devices: number; users: number; byPlatform: Record<Platform, number>; exact: boolean }
  unreachable: { optedOut: number; invalidated: number }
  skips: { reason: string; devices: number; exact: boolean }[]
  waves: { at: string; devices: number }[]
  experiment: { inSample: number; remainder: number; byVariant: Record<string, number> } | null
  locales: { locale: string; devices: number; fallback: number }[]
  bytes: { platform: Platform; locale: string | null; variant: string | null; max: number; limit: number; truncated: boolean }[]
  samples: {
    subscriptionId: string
    platform: Platform
    entry: Json | null
    payload: Json | null
    bytes: number
    limit: number
    skip: string | null
  }[]
  warnings: { code: string; path: string; message: string; devices: number | null }[]
  estimate: { seconds: number | null; perSecond: number | null; basis: string }
}

let herald: Herald
let tenant: Tenant
let crowd: (Registered & { externalId: string })[]

const languages = ['en', 'de-AT', 'de', 'pt-BR', 'ja', undefined]
const zones = ['Europe/Vienna', 'America/New_York', 'Asia/Tokyo', 'Pacific/Auckland', undefined]

/** Forty users, some with two devices, of six languages and five zones; some opted out. */
async function givenAudience(): Promise<typeof crowd> {
  const person = (index: number): Json => ({
    externalId: `user-${index % 40}`,
    tags: { plan: index % 3 === 0 ? 'pro' : 'free', name: `Name ${index % 40}`, orders: index % 7 },
    ...(languages[index % 6] === undefined ? {} : { language: languages[index % 6] }),
    ...(zones[index % 5] === undefined ? {} : { timezone: zones[index % 5] }),
  })
  const all: typeof crowd = []
  for (const [platform, count] of [
    ['ios', 30],
    ['android', 24],
    ['web', 12],
  ] as const) {
    const from = all.length
    const devices = await givenDevices(tenant, platform, count, (index) => person(from + index))
    all.push(...devices.map((device, index) => ({ ...device, externalId: `user-${(from + index) % 40}` })))
  }
  for (const { id } of all.filter((_, index) => index % 11 === 10))
    ok(await tenant.call('PATCH', `/v1/subscriptions/${id}`, { optedIn: false }), 200)
  return all
}

beforeAll(async () => {
  herald = await startHerald({ env: { LOG_LEVEL: 'info' } })
  tenant = await givenTenant(herald)
  crowd = await givenAudience()
}, 180_000)
afterAll(async () => {
  await herald.stop()
  removeDataDir(herald.dataDir)
})

const dryRun = async (body: Json, of = tenant): Promise<DryRun> => ok(await of.admin<DryRun>('POST', '/dry-run', body), 200)
const setSettings = async (settings: Json) => ok(await tenant.admin('PATCH', '', { settings }), 200)
const noRules = { frequencyCap: null, quietHours: null }
const notify = async (notification: Json): Promise<string> =>
  ok(await tenant.call<{ id: string }>('POST', '/v1/notifications', notification), 202).id

const content = {
  _default: 'en',
  en: { title: 'Hello {{ tags.name }}', body: 'You have {{ tags.orders }} orders.', url: 'https://shop.example/{{ user.externalId }}' },
  de: { title: 'Hallo {{ tags.name }}', body: 'Es gibt Neues.', actions: [{ id: 'open', title: 'Öffnen' }] },
}

const byPlatform = (rows: LedgerRow[]): Record<Platform, number> => {
  const counts = { ios: 0, android: 0, web: 0 }
  for (const { platform } of rows) counts[platform] += 1
  return counts
}
const skipsOf = (rows: LedgerRow[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { outcome, code } of rows) if (outcome === 'skipped') counts[code ?? ''] = (counts[code ?? ''] ?? 0) + 1
  return counts
}
const skipsSaid = ({ skips }: DryRun): Record<string, number> => Object.fromEntries(skips.map(({ reason, devices }) => [reason, devices]))

// spec: sending/dry-run
test('a dry run and the real send after it: as many devices per platform, and as many skips per reason', async () => {
  await setSettings({ ...noRules, frequencyCap: { max: 1, windowSeconds: 86_400 } })
  try {
    await settle(tenant, await notify({ target: { externalIds: ['user-1', 'user-2', 'user-3'] }, content }))
    const notification = { target: { segment: { field: 'tags.orders', op: 'lt', value: 5 } }, content }

    const said = await dryRun({ notification })
    const id = await notify(notification)
    await settle(tenant, id)

    const ledger = await ledgerOf(tenant, id)
    expect(said.audience).toMatchObject({ exact: true, byPlatform: byPlatform(ledger), devices: ledger.length })
    expect(said.audience.users).toBe(new Set(ledger.map(({ userId }) => userId)).size)
    expect(skipsSaid(said)).toEqual(skipsOf(ledger))
    expect(said.skips[0]).toMatchObject({ reason: 'frequency_cap', exact: true })
    expect(said.waves).toHaveLength(1)
    expect(said.locales.reduce((sum, { devices }) => sum + devices, 0)).toBe(ledger.length)

    const silent = { target: { all: true }, silent: true, data: { refresh: 'prices' } }
    const saidOfSilent = await dryRun({ notification: silent })
    const silentId = await notify(silent)
    await settle(tenant, silentId)
    expect(skipsSaid(saidOfSilent)).toEqual(skipsOf(await ledgerOf(tenant, silentId)))
    expect(saidOfSilent.unreachable).toEqual({ optedOut: crowd.filter((_, index) => index % 11 === 10).length, invalidated: 0 })
  } finally {
    await setSettings(noRules)
  }
}, 120_000)

// spec: sending/dry-run
test('a dry run writes nothing and sends nothing: dumps of all schemas are equal before and after, and the simulator heard nothing', async () => {
  const draft = { name: 'Draft', content, schedule: { type: 'user_timezone', localTime: '09:00' } }
  const { id: campaignId } = ok(await tenant.call<{ id: string }>('POST', '/v1/campaigns', draft), 201)
  const accepted = () =>
    tenant.simulator<{ accepted: { total: number } }>('GET', '/summary?open=false').then((summary) => summary.accepted.total)
  // What earlier sends left is tidied up in the background.
  const before = await until(
    async () => {
      const found = await dump(herald)
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      expect(await dump(herald)).toEqual(found)
      return found
    },
    { withinMs: 60_000, what: 'a platform at rest' },
  )
  const heardBefore = await accepted()

  await dryRun({ notification: { target: { all: true }, content } })
  await dryRun({ campaign: draft, samples: { random: 20, seed: 'a' } })
  await dryRun({ campaignId })
  ok(await tenant.call('POST', '/v1/notifications/dry-run', { notification: { target: { all: true }, silent: true } }), 200)

  expect(await dump(herald)).toEqual(before)
  expect(await accepted()).toBe(heardBefore)
}, 120_000)

/** Every row of every table of every app. */
const dump = (of: Herald): Promise<Record<string, string>> =>
  onDatabase(of, async (client) => {
    const { rows: tables } = await client.query<{ schema: string; name: string }>(`
      select table_schema as schema, table_name as name from information_schema.tables
      where table_schema in ('gateway', 'audience', 'campaigns', 'tracker', 'webhooks') and table_type = 'BASE TABLE' order by 1, 2`)
    const found: Record<string, string> = {}
    for (const { schema, name } of tables) {
      const text = `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest from "${schema}"."${name}" t`
      found[`${schema}.${name}`] = (await client.query<{ digest: string }>(text)).rows[0]?.digest ?? ''
    }
    return found
  })

// spec: sending/dry-run-samples
test('chosen samples are what the simulator then receives, but for the msgId', async () => {
  const chosen = [0, 1, 2, 31, 33, 55, 56].map((index) => crowd[index]).filter((one) => one !== undefined)
  const notification = {
    target: { subscriptionIds: chosen.map(({ id }) => id) },
    content,
    data: { order: '17' },
    presentation: { sound: 'default', badge: 3 },
  }

  const { samples } = await dryRun({ notification, samples: { subscriptionIds: chosen.map(({ id }) => id) } })
  const id = await notify(notification)
  await settle(tenant, id)

  const received = new Map<string, unknown>()
  const platformOf = new Map(chosen.map(({ device }) => [device.id, device.platform]))
  for await (const { msgId, deviceId, payload } of recordedPushes(tenant))
    if (campaignOf(msgId) === id) received.set(deviceId, withoutIdentity(platformOf.get(deviceId) ?? 'ios', payload as Json))
  expect(samples.map(({ subscriptionId }) => subscriptionId)).toEqual(chosen.map((one) => one.id))
  expect(samples.map(({ platform, payload }) => withoutIdentity(platform, payload ?? {}))).toEqual(
    chosen.map(({ device }) => received.get(device.id)),
  )
  expect(new Set(samples.map(({ platform }) => platform))).toEqual(new Set(['ios', 'android', 'web']))
  expect(samples.map(({ skip }) => skip)).toEqual(chosen.map(() => null))
  for (const { device } of chosen) expect(JSON.stringify(samples)).not.toContain(device.token ?? device.endpoint)
}, 120_000)

const campaignOf = (msgId: string | null): string | undefined =>
  Buffer.from((msgId ?? '').split('.')[0] ?? '', 'base64url')
    .toString()
    .split('|')[1]

/** Without what names the push: its msgId, the tag that follows from it, and the token. */
function withoutIdentity(platform: Device['platform'], payload: Json): unknown {
  const copy = structuredClone(payload) as {
    herald?: Json
    data?: Json
    tag?: string
    message?: { token?: string; data: Json; android: { notification?: Json } }
  }
  if (platform === 'ios') delete copy.herald?.['msgId']
  if (platform === 'web') {
    delete copy.data?.['msgId']
    delete copy.tag
  }
  if (platform === 'android' && copy.message) {
    delete copy.message.token
    delete copy.message.data['msgId']
    delete copy.message.android.notification?.['tag']
  }
  return copy
}

// spec: sending/dry-run-warnings, content/cut-at-send
test('a body of 5,000 bytes: body_truncated, and no payload is larger than its platform takes', async () => {
  const long = { _default: 'en', en: { title: 'Long', body: '語'.repeat(1_700) } }

  const { bytes, warnings, samples } = await dryRun({
    notification: { target: { all: true }, content: long },
    samples: { random: 20, seed: 1 },
  })

  expect(warnings.filter(({ code }) => code === 'body_truncated').map(({ path }) => path)).toEqual(
    Array(3).fill('notification.content.en.body'),
  )
  expect(bytes.map(({ platform, truncated }) => [platform, truncated])).toEqual([
    ['ios', true],
    ['android', true],
    ['web', true],
  ])
  for (const { max, limit } of bytes) expect(max).toBeLessThanOrEqual(limit)
  for (const sample of samples) expect(sample.bytes).toBeLessThanOrEqual(sample.limit)
  const id = await notify({ target: { all: true }, content: long })
  const { sent, queued } = await settle(tenant, id)
  expect(sent).toBe(queued)
}, 120_000)

// spec: sending/dry-run-samples
test('the same seed chooses the same samples, and another seed others', async () => {
  const notification = { target: { all: true }, content }
  const chosen = async (seed: unknown, random = 6) => (await dryRun({ notification, samples: { random, seed } })).samples

  const first = await chosen(7)
  expect(first).toHaveLength(6)
  expect(await chosen(7)).toEqual(first)
  expect((await chosen('another')).map(({ subscriptionId }) => subscriptionId)).not.toEqual(
    first.map(({ subscriptionId }) => subscriptionId),
  )
  const few = { target: { externalIds: ['user-0', 'user-1'] }, content }
  const all = await dryRun({ notification: few, samples: { random: 20 } })
  expect(all.samples).toHaveLength(all.audience.devices)
}, 60_000)

const leaves: Json[] = [
  { field: 'tags.plan', op: 'eq', value: 'pro' },
  { field: 'tags.orders', op: 'gte', value: 3 },
  { field: 'platform', op: 'in', value: ['ios', 'web'] },
  { field: 'language', op: 'startsWith', value: 'de' },
  { field: 'timezone', op: 'exists', value: false },
  { field: 'user.createdAt', op: 'gt', value: '-1d' },
  { field: 'externalId', op: 'ne', value: 'user-3' },
]

function randomSegment(random: Random): Json {
  const some = () => random.some(leaves, 1, 3)
  return random.one<() => Json>([
    () => ({}),
    () => random.one(leaves),
    () => ({ and: some() }),
    () => ({ or: some() }),
    () => ({ not: { or: some() } }),
  ])()
}

function randomTarget(random: Random): Json {
  const people = random.some(crowd, 1, 12)
  return random.one<() => Json>([
    () => ({ all: true }),
    () => ({ segment: randomSegment(random) }),
    () => ({ segment: randomSegment(random) }),
    () => ({ externalIds: [...people.map(({ externalId }) => externalId), 'nobody'] }),
    () => ({ userIds: people.map(({ userId }) => userId) }),
    () => ({ subscriptionIds: people.map(({ id }) => id) }),
  ])()
}

const hello = (locale: string) => ({ title: `Hello in ${locale}`, body: 'There is news of {{ tags.name }}.' })
function randomFields(random: Random): Json {
  const locales = random.some(['en', 'de', 'de-AT', 'pt', 'ja'], 1, 4)
  const texts = { _default: locales[0], ...Object.fromEntries(locales.map((locale) => [locale, hello(locale)])) }
  const bypass = random.one([{}, {}, { bypass: { frequencyCap: true } }, { bypass: { quietHours: true } }])
  return { ...(random.chance(0.15) ? { silent: true } : { content: texts }), ...bypass }
}

/** The clocks of all these zones differ by whole hours: half an hour off, no zone's quiet hours begin or end between a dry run and its send. */
const halfPast = (hours: number): string => clockIn('UTC', 60 * hours + 30)

function randomSettings(random: Random): Json {
  const quiet = (action: string) => ({ start: halfPast(-random.upTo(10)), end: halfPast(random.upTo(10)), action })
  return {
    frequencyCap: random.one([null, { max: random.upTo(3), windowSeconds: 2_592_000 }, { max: 10, windowSeconds: 2_592_000 }]),
    quietHours: random.one([null, quiet('skip'), quiet('hold')]),
    defaultTimezone: random.one(['UTC', 'Asia/Tokyo']),
  }
}

/** The waves that a send has, as they stand on its row, and lets them all begin. Null: there are none. */
async function playWaves(id: string): Promise<string[] | null> {
  return onDatabase(herald, async (client) => {
    const waves = await until(
      async () =>
        (await client.query<{ waves: { at: string }[] | null }>('select waves from audience.fan_outs where campaign_id = $1', [id]))
          .rows[0],
      { withinMs: 60_000, what: 'the row of a fan-out' },
    )
    await until(
      async () => {
        await client.query(`update audience.fan_outs set due_at = now() where campaign_id = $1 and state = 'between_waves'`, [id])
        const { rows } = await client.query<{ state: string }>('select state from audience.fan_outs where campaign_id = $1', [id])
        return rows[0]?.state === 'fanned_out' || undefined
      },
      { withinMs: 120_000, what: 'the last wave' },
    )
    return waves.waves?.map(({ at }) => at) ?? null
  })
}

const rounds = Number(process.env['DRY_RUNS'] ?? 100)
// spec: sending/dry-run, sending/dry-run-counted
test(`of ${rounds} random sends each is what its dry run said: devices, skips and instants`, async () => {
  const random = openRandom(20_261_122)
  let [waved, skipped, experiments] = [0, 0, 0]
  for (let round = 0; round < rounds; round += 1) {
    if (round % 5 === 0) await setSettings(randomSettings(random))
    const fields = randomFields(random)
    const isNotification = random.chance(0.6)
    let said: DryRun
    let id: string
    if (isNotification) {
      const notification = { target: randomTarget(random), ...fields }
      said = await dryRun({ notification })
      id = await notify(notification)
    } else {
      const experiment = fields['silent'] !== true && random.chance(0.3) ? { experiment: randomExperiment(random) } : {}
      const campaign = {
        name: `Round ${round}`,
        segment: randomSegment(random),
        schedule: random.one<Json>([{ type: 'now' }, { type: 'user_timezone', localTime: halfPast(random.upTo(10)) }]),
        ...fields,
        ...experiment,
      }
      id = ok(await tenant.call<{ id: string }>('POST', '/v1/campaigns', campaign), 201).id
      // Who is in an experiment follows from the id of the campaign, which a body does not have.
      said = await dryRun(experiment.experiment ? { campaignId: id } : { campaign })
      ok(await tenant.call('POST', `/v1/campaigns/${id}/send`), 202)
      if (campaign.schedule['type'] === 'user_timezone')
        await onDatabase(herald, (client) => client.query('update campaigns.campaigns set due_at = now() where id = $1', [id]))
    }
    const waves = await playWaves(id)
    await untilStatus(tenant, id, 'sent')
    const ledger = await ledgerOf(tenant, id)

    const what = JSON.stringify({ round, id, said })
    const sent = said.experiment ? said.experiment.inSample : said.audience.devices
    expect([ledger.length, what]).toEqual([sent, what])
    const parts = said.experiment
      ? [variantsOf(ledger), withoutZeros(said.experiment.byVariant)]
      : [byPlatform(ledger), said.audience.byPlatform]
    expect([parts[0], what]).toEqual([parts[1], what])
    expect([skipsOf(ledger), what]).toEqual([skipsSaid(said), what])
    const instants = said.waves.map(({ at }) => instantOf(at))
    expect([waves?.map(instantOf) ?? ['at once'], what]).toEqual([waves ? instants : instants.map(() => 'at once'), what])
    waved += waves && waves.length > 1 ? 1 : 0
    skipped += said.skips.length > 0 ? 1 : 0
    experiments += said.experiment ? 1 : 0
  }
  expect([waved > rounds / 20, skipped > rounds / 10, experiments > rounds / 50]).toEqual([true, true, true])
}, 900_000)

/** What is planned by the clock falls on a whole minute; anything else is when the send began. */
const instantOf = (at: string): string => (at.endsWith(':00.000Z') ? at : 'at once')

const randomExperiment = (random: Random): Json => ({
  sampleRate: random.one([0.3, 0.7, 1]),
  variants: ['a', 'b', 'c'].slice(0, 1 + random.upTo(2)).map((variant) => ({
    ...{ id: variant, name: variant.toUpperCase(), weight: random.upTo(5) },
    content: { _default: 'en', en: hello(variant) },
  })),
})

const withoutZeros = (counts: Record<string, number>) => Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))

function variantsOf(rows: LedgerRow[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { variant } of rows) counts[variant ?? ''] = (counts[variant ?? ''] ?? 0) + 1
  return counts
}
