import type { LedgerRow } from '@herald/contracts/calls/tracker'
import type { Explained, ExplainedStep, Trace } from '@herald/contracts/explain'
import type { SkipReason } from '@herald/contracts/outcome'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'
import { onDatabase } from '../chaos/platform.ts'
import { clockIn, givenDevices, ledgerOf, ok, textOf, untilStatus, type Json } from './campaigns.ts'
import { byPlatform, dryRunsOf, givenAudience, skipsOf, skipsSaid, type DryRun, type Member } from './dry-runs.ts'
import { openRandom, type Random } from './random.ts'

// Random sends through the complete platform, with all that can keep a push from a device. Each is compared with a dry run and with explain before it,
// and with explain after it. DRY_RUNS says how many, DRY_RUNS_SEED which. And: a dry run writes nothing.

const herald = await sharedPlatform()
let tenant: Tenant
let crowd: Member[]
let app: ReturnType<typeof dryRunsOf>

beforeAll(async () => {
  tenant = await givenTenant(herald)
  crowd = await givenAudience(tenant)
  app = dryRunsOf(tenant)
  for (const category of [
    { id: 'offers', name: 'Offers', default: 'in' },
    { id: 'news', name: 'News', default: 'out' },
    { id: 'security', name: 'Security', default: 'in', locked: true },
  ])
    ok(await tenant.admin('POST', '/categories', category), 201)
  for (const [place, { userId }] of crowd.slice(0, 40).entries())
    if (place % 3 > 0)
      ok(
        await tenant.call('PATCH', `/v1/users/${userId}/preferences`, { categories: { offers: place % 3 === 1, news: place % 2 === 0 } }),
        200,
      )
}, 180_000)

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
  const users = random.some(crowd, 1, 12)
  return random.one<() => Json>([
    () => ({ all: true }),
    () => ({ segment: randomSegment(random) }),
    () => ({ segment: randomSegment(random) }),
    () => ({ externalIds: [...users.map(({ externalId }) => externalId), 'nobody'] }),
    () => ({ userIds: users.map(({ userId }) => userId) }),
    () => ({ subscriptionIds: users.map(({ id }) => id) }),
  ])()
}

const hello = (locale: string) => ({ title: `Hello in ${locale}`, body: 'There is news of {{ tags.name }}.' })
function randomFields(random: Random): Json {
  const locales = random.some(['en', 'de', 'de-AT', 'pt', 'ja'], 1, 4)
  const texts = { _default: locales[0], ...Object.fromEntries(locales.map((locale) => [locale, hello(locale)])) }
  const isSilent = random.chance(0.15)
  return {
    ...(isSilent ? { silent: true } : { content: texts }),
    ...random.one([{}, {}, { bypass: { frequencyCap: true } }, { bypass: { quietHours: true } }, { bypass: { holdout: true } }]),
    ...random.one([{}, { category: 'offers' }, { category: 'news' }, { category: 'security' }]),
    ...(!isSilent && random.chance(0.4) ? { inbox: true } : {}),
    ...random.one([{}, { presentation: { badgeIncrement: 1 } }]),
    ...random.one([{}, {}, { sendRate: { perMinute: 60_000 } }]),
    ...random.one([{}, {}, { ttl: 1 }]),
  }
}

/** Lets a few devices answer the next push with something else than yes. Dead ones come back after the send. */
async function givenFaults(random: Random): Promise<void> {
  await tenant.simulator('PUT', '/devices/behaviour', { answer: 'ok' })
  const some = random.some(crowd, 3, 6).map(({ device }) => device.id)
  await tenant.simulator('PUT', '/devices/behaviour', { ids: some.slice(0, 1), answer: 'dead' })
  await tenant.simulator('PUT', '/devices/behaviour', { ids: some.slice(1, 2), answer: 'sender_mismatch' })
  await tenant.simulator('PUT', '/devices/behaviour', { ids: some.slice(2), answer: 'unavailable', times: random.upTo(2) })
}

/**
 * Gives the UTC time in `hours` hours and 30 minutes, for quiet hours. The devices' zones differ by whole hours, so they neither begin nor end between
 * a dry run and its send.
 */
const halfPast = (hours: number): string => clockIn('UTC', 60 * hours + 30)

function randomSettings(random: Random): Json {
  const quiet = (action: string) => ({ start: halfPast(-random.upTo(10)), end: halfPast(random.upTo(10)), action })
  return {
    frequencyCap: random.one([null, { max: random.upTo(3), windowSeconds: 2_592_000 }, { max: 10, windowSeconds: 2_592_000 }]),
    quietHours: random.one([null, quiet('skip'), quiet('hold')]),
    defaultTimezone: random.one(['UTC', 'Asia/Tokyo']),
    holdout: random.one([null, { percent: 20 }]),
  }
}

/**
 * Lets each wave of a send begin at once, until the fan-out has ended. Gives the times at which the waves were planned, without the one whose time had
 * passed, or null when the send has no waves.
 */
async function playWaves(id: string): Promise<string[] | null> {
  return onDatabase(herald, async (client) => {
    const waves = await until(
      async () =>
        (
          await client.query<{ waves: { at: string; expired?: true }[] | null }>(
            'select waves from audience.fan_outs where campaign_id = $1',
            [id],
          )
        ).rows[0],
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
    return waves.waves?.flatMap(({ at, expired }) => (expired ? [] : [at])) ?? null
  })
}

/** The step of explain that stops a push for each reason. */
const stationOf: { readonly [Reason in SkipReason]?: ExplainedStep['step'] } = {
  ...{ deleted: 'device', owner_changed: 'owner', invalidated: 'reachable', opted_out: 'reachable', holdout: 'holdout' },
  ...{ unsubscribed: 'category', expired: 'wave', quiet_hours: 'quiet_hours', frequency_cap: 'frequency_cap', empty_content: 'message' },
}
const stationOfRow = ({ code }: LedgerRow, hasTtlEnded: boolean) => (hasTtlEnded ? undefined : stationOf[code as SkipReason])

async function traceOf(campaignId: string, subscriptionId: string): Promise<Trace> {
  const { devices } = ok(
    await tenant.admin<Explained>('GET', `/explain?${new URLSearchParams({ campaignId, subscriptionId }).toString()}`),
    200,
  )
  return devices[0]!
}
const stopsOf = ({ steps }: Trace) => steps.flatMap(({ step, result }) => (result === 'stop' ? [step] : []))

/** Why a sample has no push at all. */
const notQueued: ReadonlySet<string> = new Set(['not_in_target', 'not_in_experiment', 'invalidated', 'opted_out'])

const rounds = Number(process.env['DRY_RUNS'] ?? 30)
const seed = Number(process.env['DRY_RUNS_SEED'] ?? 20_261_122)
// spec: sending/dry-run, sending/dry-run-counted, administration/explain, tracking/first-reason
test(`each of ${rounds} random sends does what its dry run and explain said, and explain knows what became of it`, async () => {
  const random = openRandom(seed)
  const seen = new Map<string, number>()
  let [waved, skipped, experiments, explained] = [0, 0, 0, 0]
  for (let round = 0; round < rounds; round += 1) {
    if (round % 5 === 0) await app.setSettings(randomSettings(random))
    await givenFaults(random)
    const fields = randomFields(random)
    const isNotification = random.chance(0.4)
    const chosen = random.some(crowd, 20, 20).map((member) => member.id)
    const before = new Map<string, Trace>()
    let said: DryRun
    let id: string
    if (isNotification) {
      const notification = { target: randomTarget(random), ...fields }
      said = await app.dryRun({ notification, samples: { subscriptionIds: chosen } })
      id = await app.notify(notification)
    } else {
      const experiment = fields['silent'] !== true && random.chance(0.3) ? { experiment: randomExperiment(random) } : {}
      const campaign = {
        name: `Round ${round}`,
        segment: randomSegment(random),
        schedule: random.one<Json>([
          { type: 'now' },
          { type: 'user_timezone', localTime: halfPast(random.upTo(10)) },
          { type: 'user_timezone', localTime: halfPast(-2), date: new Date().toISOString().slice(0, 10), lateMinutes: 0 },
        ]),
        ...fields,
        ...experiment,
      }
      id = ok(await tenant.call<{ id: string }>('POST', '/v1/campaigns', campaign), 201).id
      for (const one of chosen) before.set(one, await traceOf(id, one))
      // The sample of an experiment is computed from the campaign's id, so the dry run names the stored campaign; a body has no id.
      said = await app.dryRun({ ...(experiment.experiment ? { campaignId: id } : { campaign }), samples: { subscriptionIds: chosen } })
      ok(await tenant.call('POST', `/v1/campaigns/${id}/send`), 202)
      if (campaign.schedule['type'] === 'user_timezone')
        await onDatabase(herald, (client) => client.query('update campaigns.campaigns set due_at = now() where id = $1', [id]))
    }
    const waves = await playWaves(id)
    await untilStatus(tenant, id, 'sent')
    const ledger = await ledgerOf(tenant, id)
    const rows = new Map(ledger.map((row) => [row.subscriptionId, row]))
    const optedOut = new Set(crowd.flatMap((member, place) => (place % 11 === 10 ? [member.id] : [])))
    // Opted-out devices, which only an inbox queues, are no part of a dry run's audience.
    const reachable = ledger.filter(({ subscriptionId }) => !optedOut.has(subscriptionId))
    // A ttl that ends while the provider is away is no reason that a dry run can know.
    const hasTtlEnded = ({ code, attempts }: LedgerRow) => code === 'expired' && (attempts ?? 0) > 0

    const what = JSON.stringify({ seed, round, id, fields, said: { ...said, samples: [] } })
    const sent = said.experiment ? said.experiment.inSample : said.audience.devices
    expect([reachable.length, what]).toEqual([sent, what])
    const parts = said.experiment
      ? [variantsOf(reachable), withoutZeros(said.experiment.byVariant)]
      : [byPlatform(reachable), said.audience.byPlatform]
    expect([parts[0], what]).toEqual([parts[1], what])
    expect([skipsOf(ledger.filter((row) => !hasTtlEnded(row))), what]).toEqual([skipsSaid(said), what])
    const instants = said.waves.map(({ at }) => instantOf(at))
    expect([waves?.map(instantOf) ?? ['at once'], what]).toEqual([waves ? instants : instants.map(() => 'at once'), what])

    for (const { subscriptionId, skip } of said.samples) {
      const row = rows.get(subscriptionId)
      const wasSkipped = row?.outcome === 'skipped' && !hasTtlEnded(row)
      const said = skip === null || !notQueued.has(skip) || row ? skip : 'no push'
      expect([said, subscriptionId, what]).toEqual([row ? (wasSkipped ? row.code : null) : 'no push', subscriptionId, what])
    }
    for (const [subscriptionId, trace] of before) {
      const row = rows.get(subscriptionId)
      const station = row && stationOfRow(row, hasTtlEnded(row))
      expect([trace.verdict, row ? stopsOf(trace) : [], subscriptionId, what]).toEqual([
        row ? 'waiting' : 'not_queued',
        ...[station === undefined ? [] : [station], subscriptionId, what],
      ])
    }
    for (const row of random.some(ledger, Math.min(15, ledger.length), 15)) {
      const trace = await traceOf(id, row.subscriptionId)
      const station = stationOfRow(row, hasTtlEnded(row))
      const outcome = trace.steps.find((step) => step.step === 'outcome')
      const attempts = trace.steps.flatMap((step) => (step.step === 'attempts' ? step.attempts : []))
      expect([trace.verdict, trace.certainty, outcome?.outcome, outcome?.code, stopsOf(trace), attempts.length, what]).toEqual([
        ...[row.outcome, 'recorded', row.outcome, row.code],
        ...[[...(station === undefined ? [] : [station]), ...(row.outcome === 'sent' ? [] : ['outcome'])], row.attempts, what],
      ])
      const end = `${row.outcome} ${row.code ?? ''}`
      seen.set(end, (seen.get(end) ?? 0) + 1)
      explained += 1
    }
    for (const { subscriptionId } of ledger.filter(({ code }) => code === 'token_dead'))
      await revive(crowd.find((member) => member.id === subscriptionId)!)
    waved += waves && waves.length > 1 ? 1 : 0
    skipped += said.skips.length > 0 ? 1 : 0
    experiments += said.experiment ? 1 : 0
  }
  expect([waved > rounds / 20, skipped > rounds / 10, experiments > rounds / 50, explained > rounds * 5]).toEqual([true, true, true, true])
  const ends = 'sent ,failed sender_mismatch,skipped holdout,skipped opted_out,skipped unsubscribed'
  expect([...seen.keys()].toSorted()).toEqual(expect.arrayContaining(ends.split(',')))
  console.log(`${explained} pushes explained: ${JSON.stringify(Object.fromEntries(seen))}`)
}, 900_000)

/** Registers a device again that its provider has called dead. */
async function revive({ device }: Member): Promise<void> {
  await tenant.simulator('PUT', `/devices/${device.id}/behaviour`, { answer: 'ok' })
  await tenant.register(device)
}

/**
 * Gives a wave's time. Gives `at once` for a time that is no full minute: it does not come from a local time, so it is the time at which the send
 * began.
 */
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

// spec: sending/dry-run
test('a dry run writes no row that names its app, and sends nothing', async () => {
  const own = await givenTenant(herald)
  const { dryRun } = dryRunsOf(own)
  const devices = await givenDevices(own, 'android', 3)
  const draft = { name: 'Draft', content: textOf('Draft'), schedule: { type: 'user_timezone', localTime: '09:00' } }
  const { id: campaignId } = ok(await own.call<{ id: string }>('POST', '/v1/campaigns', draft), 201)
  const before = await rowsThatName(own.appId)

  await dryRun({ notification: { target: { all: true }, content: textOf('Hello') } })
  await dryRun({ campaign: draft, samples: { random: 20, seed: 'a' } })
  await dryRun({ campaignId })
  ok(await own.call('POST', '/v1/notifications/dry-run', { notification: { target: { all: true }, silent: true } }), 200)

  expect(before['audience.subscriptions']).toMatch(/^3 /)
  expect(await rowsThatName(own.appId)).toEqual(before)
  for (const { device } of devices) expect(await own.simulator('GET', `/pushes?deviceId=${device.id}`)).toMatchObject({ pushes: [] })
}, 120_000)

/** Gives for every table of every service the number and a digest of the rows that name the app. The hour in which a key was last used is left out. */
const rowsThatName = (appId: string): Promise<Record<string, string>> =>
  onDatabase(herald, async (client) => {
    const { rows: tables } = await client.query<{ schema: string; name: string }>(`
      select table_schema as schema, table_name as name from information_schema.tables
      where table_schema in ('gateway', 'audience', 'campaigns', 'tracker', 'webhooks') and table_type = 'BASE TABLE' order by 1, 2`)
    const found: Record<string, string> = {}
    for (const { schema, name } of tables) {
      const text = `select count(*) || ' ' || coalesce(md5(string_agg(one, '|' order by one)), '') as digest
        from (select (to_jsonb(t) - 'last_used_at')::text as one from "${schema}"."${name}" t) rows where position($1 in one) > 0`
      found[`${schema}.${name}`] = (await client.query<{ digest: string }>(text, [appId])).rows[0]?.digest ?? ''
    }
    return found
  })
