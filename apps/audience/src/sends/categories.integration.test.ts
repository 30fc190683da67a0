import { defaultSettings } from '@herald/contracts/app'
import type { FrozenSend } from '@herald/contracts/batch'
import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import type { FrozenCategory } from '@herald/contracts/category'
import { newId } from '@herald/contracts/ids'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { changePreferences } from '../people/preferences.ts'
import { fanOutAll, givenCrowd, givenDevice, givenSend, openAudience } from '../testing/rig.ts'
import { withBatches } from '../testing/batches.ts'
import { dryRun } from './dry-run.ts'
import { explainDevices } from './explain-devices.ts'
import { openStarting } from './start-sends.ts'
import { scanPage } from './store/pages.ts'

const rig = await openAudience()
const { audience, db, peers } = rig
const { takeOne } = withBatches(rig)

const category = (fields: Partial<FrozenCategory> = {}): FrozenCategory => ({ id: 'offers', default: 'in', locked: false, ...fields })
const choose = (appId: string, userId: string, choice: boolean | null) =>
  changePreferences({ db }, { appId, of: { userId }, changes: { offers: choice }, known: ['offers'] })
/** Makes devices of users with these choices; undefined: the user has chosen nothing. */
async function givenPeople<Name extends string>(appId: string, choices: Record<Name, boolean | undefined>) {
  const people = {} as Record<Name, { id: string; userId: string }>
  for (const name of Object.keys(choices) as Name[]) {
    people[name] = await givenDevice(db, { appId })
    if (choices[name] !== undefined) await choose(appId, people[name].userId, choices[name])
  }
  return people
}
async function endsOf(campaignId: string) {
  const batches = await db.selectFrom('batches').selectAll().where('campaign_id', '=', campaignId).execute()
  return {
    sent: batches.flatMap(({ decided, subscription_ids }) => (decided ? [] : subscription_ids)).toSorted(),
    skipped: batches
      .flatMap(({ decided }) => decided ?? [])
      .map(({ subscriptionId, code }) => `${subscriptionId} ${code}`)
      .toSorted(),
  }
}
async function sendTo(appId: string, change: Partial<FrozenSend>, target: FrozenTarget = { kind: 'all' }) {
  const campaignId = peers.givenCampaign(givenSend(appId, change), target)
  await fanOutAll(audience, campaignId)
  return endsOf(campaignId)
}
const out = (...devices: { id: string }[]) => devices.map(({ id }) => `${id} unsubscribed`).toSorted()
const ids = (...devices: { id: string }[]) => devices.map(({ id }) => id).toSorted()

// spec: categories/skipped
test('of a category that begins with everybody those who left are skipped, of an empty one all but members', async () => {
  const appId = newId()
  const { joined, leaver, silentOne } = await givenPeople(appId, { joined: true, leaver: false, silentOne: undefined })
  const tablet = await givenDevice(db, { appId, userId: leaver.userId, platform: 'android' })

  expect(await sendTo(appId, { category: category() })).toEqual({ sent: ids(joined, silentOne), skipped: out(leaver, tablet) })
  expect(await sendTo(appId, { category: category({ default: 'out' }) })).toEqual({
    sent: ids(joined),
    skipped: out(leaver, tablet, silentOne),
  })
  await choose(appId, leaver.userId, null)
  expect((await sendTo(appId, { category: category() })).skipped).toEqual([])
  const other = await sendTo(appId, { category: category({ id: 'constructor', default: 'out' }) })
  expect(other.sent).toEqual([])
})

// spec: categories/skipped
test('a segment, a list of users and a send with quiet hours leave the same people out', async () => {
  const appId = newId()
  const { leaver, stays } = await givenPeople(appId, { leaver: false, stays: undefined })
  await sql`update users set tags = '{"plan": "pro", "age": 3}' where id = any(${[leaver.userId, stays.userId]})`.execute(db)
  const segment = {
    and: [
      { field: 'tags.plan', op: 'eq', value: 'pro' },
      { field: 'tags.age', op: 'gt', value: 1 },
    ],
  }
  const wanted = { sent: ids(stays), skipped: out(leaver) }
  expect(await sendTo(appId, { category: category() }, { kind: 'segment', segment })).toEqual(wanted)
  expect(await sendTo(appId, { category: category() }, { kind: 'userIds', userIds: [leaver.userId, stays.userId] })).toEqual(wanted)

  peers.settings.set(appId, {
    ...defaultSettings,
    quietHours: { start: '00:00', end: '23:59', action: 'skip' },
    frequencyCap: { max: 1, windowSeconds: 60 },
  })
  const quiet = await sendTo(appId, { category: category() })
  expect(quiet.skipped).toContain(`${leaver.id} unsubscribed`)
})

// spec: categories/skipped
test('a push that is skipped because its user is not in the category counts for no frequency cap', async () => {
  const appId = newId()
  peers.settings.set(appId, { ...defaultSettings, frequencyCap: { max: 1, windowSeconds: 60 } })
  const { leaver, stays } = await givenPeople(appId, { leaver: false, stays: true })
  expect(await sendTo(appId, { category: category() })).toEqual({ sent: ids(stays), skipped: out(leaver) })
  expect(await sendTo(appId, {})).toEqual({ sent: ids(leaver), skipped: [`${stays.id} frequency_cap`] })
})

// spec: categories/exempt
test.each([
  ['a locked category', { category: category({ locked: true, default: 'out' }) }],
  ['a silent send', { category: category(), silent: true }],
  ['a test', { category: category(), test: true as const }],
])('%s reaches a person who has left', async (_, change) => {
  const appId = newId()
  const { leaver } = await givenPeople(appId, { leaver: false })
  expect(await sendTo(appId, change)).toEqual({ sent: ids(leaver), skipped: [] })
})

// spec: categories/skipped
test('small sends that begin together each skip the people who are not in their own category', async () => {
  const appId = newId()
  const { leaver, stays } = await givenPeople(appId, { leaver: false, stays: undefined })
  const userIds = [leaver.userId, stays.userId]
  const sends = [{ category: category() }, {}, { category: category({ default: 'out' }) }].map((change) => givenSend(appId, change))
  await openStarting(audience, () => undefined)(sends.map((send) => ({ send, target: { kind: 'userIds', userIds } })))

  const [begun, plain, empty] = await Promise.all(sends.map(({ campaignId }) => endsOf(campaignId)))
  expect(begun).toEqual({ sent: ids(stays), skipped: out(leaver) })
  expect(plain).toEqual({ sent: ids(leaver, stays), skipped: [] })
  expect(empty).toEqual({ sent: [], skipped: out(leaver, stays) })
})

// spec: categories/skipped-at-take
test('who leaves the category between page and take is skipped; who joins meanwhile is not in that batch', async () => {
  const appId = newId()
  const { leaver, stays, late } = await givenPeople(appId, { leaver: undefined, stays: true, late: undefined })
  const campaignId = peers.givenCampaign(givenSend(appId, { category: category() }), { kind: 'all' })
  await fanOutAll(audience, campaignId)
  const { id } = await db.selectFrom('batches').select('id').where('campaign_id', '=', campaignId).executeTakeFirstOrThrow()
  await choose(appId, leaver.userId, false)
  await choose(appId, late.userId, false)
  await choose(appId, late.userId, null)

  const taken = await takeOne(id)
  expect(taken.recipients.map(({ subscriptionId }) => subscriptionId)).toEqual(ids(stays, late))
  expect(taken.decided).toMatchObject([
    { subscriptionId: leaver.id, userId: leaver.userId, outcome: 'skipped', code: 'unsubscribed', attempts: 0 },
  ])
})

// spec: categories/explained, sending/dry-run
test('a dry run counts exactly the devices that the send then skips as unsubscribed, and says so of a sample', async () => {
  const appId = newId()
  peers.settings.set(appId, { ...defaultSettings, frequencyCap: { max: 1, windowSeconds: 3_600 } })
  const people = await givenPeople(appId, { one: false, two: false, three: undefined, four: true })
  await givenDevice(db, { appId, userId: people.one.userId, platform: 'web' })
  await sql`insert into cap_claims (app_id, user_id, campaign_id, expires_at)
    select ${appId}, unnest(${[people.two.userId, people.three.userId]}::text[]), ${newId()}, now() + interval '1 hour'`.execute(db)
  const send = givenSend(appId, { category: category() })
  const samples = { subscriptionIds: [people.one.id, people.three.id, people.four.id] }
  const tried = await dryRun(audience, { appId, send, target: { kind: 'all' }, startsAt: null, samples })
  expect(tried.skips).toEqual([
    { reason: 'unsubscribed', devices: 3, estimated: null },
    { reason: 'frequency_cap', devices: 1, estimated: null },
  ])
  expect(tried.samples.map(({ skip }) => skip)).toEqual(['unsubscribed', 'frequency_cap', null])

  const estimated = await dryRun(
    audience,
    { appId, send, target: { kind: 'all' }, startsAt: null, samples },
    { exactUpTo: 0, sampled: 1_000_000 },
  )
  expect(estimated.skips.map(({ reason, devices }) => [reason, devices])).toEqual([
    ['unsubscribed', 3],
    ['frequency_cap', 1],
  ])
  const real = await sendTo(appId, { category: category() })
  expect(real.skipped.filter((one) => one.endsWith('unsubscribed'))).toHaveLength(3)
  expect(real.skipped.filter((one) => one.endsWith('frequency_cap'))).toHaveLength(1)
})

// spec: categories/explained
test('explain says whether the user is in the category now, and what holds without a choice', async () => {
  const appId = newId()
  const { leaver, stays } = await givenPeople(appId, { leaver: false, stays: undefined })
  const explain = async (change: Partial<FrozenSend>) => {
    const send = givenSend(appId, change)
    const devices = [leaver, stays].map(({ id: subscriptionId }) => ({ subscriptionId, no: null }))
    const asked = { appId, campaignId: send.campaignId, begins: true, startedAt: null, settings: defaultSettings }
    const explained = await explainDevices({ db }, { ...asked, send, target: { kind: 'all' }, devices })
    return explained.devices.map(({ steps }) => steps.find(({ step }) => step === 'category'))
  }
  const step = { step: 'category', basis: 'now', category: 'offers', default: 'in' }
  expect(await explain({ category: category() })).toEqual([
    { ...step, result: 'stop', subscribed: false },
    { ...step, result: 'pass', subscribed: true },
  ])
  expect(await explain({ category: category(), silent: true })).toMatchObject([{ result: 'pass', subscribed: false }, { result: 'pass' }])
  expect(await explain({})).toEqual([undefined, undefined])
})

// spec: categories/page-cost
test('a page of a send with a category reads the rows only of users who have chosen', async () => {
  const appId = newId()
  const crowd = await givenCrowd(db, { appId, count: 5_000 })
  const { leaver, joined } = await givenPeople(appId, { leaver: false, joined: true })
  await sql`analyze users`.execute(db)
  await sql`analyze subscriptions`.execute(db)
  const scan = { campaignId: newId(), appId, cursor: '', boundId: 'f'.repeat(24), startedAt: new Date(), exactStart: 'now' }
  const { page, read } = await db.transaction().execute(async (trx) => {
    // The counters of this connection may still hold what earlier transactions have read.
    const count = async () => {
      const { rows } = await sql<{ read: number }>`
        select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_user_tables where relname = 'users'`.execute(trx)
      return rows[0]?.read ?? 0
    }
    const before = await count()
    const scanned = await scanPage(trx, { ...scan, zones: null, claims: false, withZones: false, category: category() }, { kind: 'all' })
    return { page: scanned, read: (await count()) - before }
  })
  expect(page.devices).toHaveLength(5_000)
  expect(crowd.length + ids(leaver, joined).length - page.devices.length).toBe(2)
  expect(read).toBeLessThanOrEqual(2)
})
