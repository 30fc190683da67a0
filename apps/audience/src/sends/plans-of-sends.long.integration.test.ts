import { defaultSettings } from '@herald/contracts/app'
import { newId } from '@herald/contracts/ids'
import { settingsForKeptPlans } from '@herald/service/kept-plans'
import { settingsForWork } from '@herald/service/postgres'
import { fixStatistics, lookWhileGrowing, openPlans, type Step } from '@herald/testing/plans'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeFlow } from './change-flow.ts'
import { commitTogether } from '../commit-together.ts'
import { dropCampaigns } from './drop-campaigns.ts'
import { fanOut } from './fan-out.ts'
import { renewBatch } from '../delivery/take-batch.ts'
import { openStarting, type Begun } from './start-sends.ts'
import { findDueAges } from '../store/due.ts'
import { clearSettled, openUnsettled, settleFanOuts } from './store/settled.ts'
import { findFanOut } from './store/fan-outs.ts'
import { markManyTold } from './store/told.ts'
import type { Tables } from '../store/tables.ts'
import { sweepDue } from '../sweep-due.ts'
import { tellTotals } from './tell-totals.ts'
import { openTelling } from './tell-started.ts'
import { asked, finished, retried, withBatches } from '../testing/batches.ts'
import { givenCrowd, givenDevice, givenSend, openAudience } from '../testing/rig.ts'

const rig = await openAudience()
const { peers } = rig
const plans = await openPlans<Tables>(rig.ownerUrl, 'audience', `${settingsForWork} ${settingsForKeptPlans}`)
afterAll(() => plans.close())
const { db } = plans
const audience = {
  ...rig.audience,
  db,
  commit: commitTogether(db, { maxWaiting: 10, full: () => new Error('full') }),
}
const { take, finish } = withBatches({ audience, db, peers })

/** The ids of an app with 100,000 devices, and of an app with six. */
const [large, small] = [newId(), newId()]
const personal = { _default: 'en', en: { title: 'Hello {{ user.externalId }} {{ tags.plan }}', body: 'World' } }
let user: { externalId: string; userId: string; subscriptionId: string }
/** What one step leaves for the next: the sends that were begun, the batches that were taken, and the send whose pages are made. */
let begun: Begun[] = []
let taken: { batchId: string; takes: number; recipients: { subscriptionId: string; userId: string }[] }[] = []
let campaignId = ''

const start = openStarting(audience, (one) => void begun.push(one))
const tell = openTelling(audience)
const givenTo = (target: Parameters<typeof peers.givenCampaign>[1], appId = large) =>
  peers.givenCampaign(givenSend(appId, { content: personal }), target)
const batchesOf = (campaignIds: string[]) =>
  db.selectFrom('batches').select('id').where('campaign_id', 'in', campaignIds).where('done_at', 'is', null).execute()
const takeAll = async (campaignIds: string[]) => {
  const ids = (await batchesOf(campaignIds)).map(({ id }) => asked(id, { credentialsVersion: 1 }))
  taken = (await take(...ids)).flatMap((one) => (one.answer === 'taken' ? [one] : []))
  expect(taken).not.toHaveLength(0)
}
const under = () => [...begun.map(({ row }) => row.campaignId), campaignId]

/** Beginning a send may read this many rows, to count the app's waiting batches: at most 64 on the lane of each of three platforms. */
const onLanes = 200

const steps: Record<string, Step> = {
  'small sends begin': {
    run: async () => {
      begun = []
      const { externalId, userId, subscriptionId } = user
      const targets = [
        { kind: 'externalIds' as const, externalIds: [externalId] },
        { kind: 'userIds' as const, userIds: [userId] },
        { kind: 'subscriptionIds' as const, subscriptionIds: [subscriptionId] },
      ]
      await start(targets.map((target) => ({ send: givenSend(large, { content: personal }), target })))
      expect(begun).toHaveLength(3)
    },
    rows: onLanes,
  },
  'campaigns and tracker are told of the small sends': {
    run: async () => {
      await Promise.all(begun.map(tell))
      await markManyTold(
        db,
        begun.map(({ row }) => row),
      )
    },
  },
  'a page of named users': {
    run: async () => {
      campaignId = givenTo({ kind: 'externalIds', externalIds: [user.externalId] })
      await fanOut(audience, { campaignId, page: 0 })
      await fanOut(audience, { campaignId: givenTo({ kind: 'userIds', userIds: [user.userId] }), page: 0 })
      await fanOut(audience, { campaignId: givenTo({ kind: 'subscriptionIds', subscriptionIds: [user.subscriptionId] }), page: 0 })
    },
    rows: onLanes,
  },
  'pages of a small app': {
    run: async () => {
      await fanOut(audience, { campaignId: givenTo({ kind: 'all' }, small), page: 0 })
      const segment = { field: 'tags.plan', op: 'eq', value: 'pro' }
      await fanOut(audience, { campaignId: givenTo({ kind: 'segment', segment }, small), page: 0 })
    },
    rows: onLanes,
  },
  'the totals of a page that a dead process has not told': {
    run: async () => {
      await sql`update fan_outs set told_page = 0, told_batches = 0 where campaign_id = ${campaignId}`.execute(db)
      const row = await findFanOut(db, campaignId)
      expect(row && (await tellTotals(audience, row))).toBe(true)
    },
  },
  'batches are taken': { run: () => takeAll(under()) },
  'batches are refused': { run: () => take(...taken.map(({ batchId }) => asked(batchId, { credentialsVersion: 1 })), asked(newId())) },
  'leases are renewed': { run: () => renewBatch({ db }, taken) },
  'batches are finished': {
    run: async () => {
      const [one, other, third, last] = taken
      const of = (batch: (typeof taken)[number] | undefined) => batch?.recipients[0] ?? { subscriptionId: '', userId: '' }
      const finishes = [
        one && finished(one.batchId, one.takes, { environments: [{ subscriptionId: of(one).subscriptionId, environment: 'production' }] }),
        other && finished(other.batchId, other.takes, { retries: [retried(of(other))] }),
        third &&
          finished(third.batchId, third.takes, {
            dead: [{ ...of(third), tokenVersion: 0, agoMs: 0, deadSince: null, code: 'Unregistered' }],
          }),
        last &&
          finished(last.batchId, last.takes, {
            guarded: [
              {
                ...{ ...of(last), place: 0, tokenVersion: 1, environment: 'production', host: '', letter: 'g', tries: 1 },
                ...{ retryInMs: null, agoMs: 0, code: 'credentials_invalid', providerCode: 'BadDeviceToken' },
              },
            ],
            refused: [{ environment: 'production', host: '', letter: 'g', subscriptionId: of(last).subscriptionId }],
            accepted: [{ environment: 'production', host: '', subscriptionId: of(last).subscriptionId }],
            answers: [{ environment: 'production', seen: 'g', code: null }],
            credentialsVersion: 1,
          }),
      ]
      expect(await finish(...finishes.flatMap((one) => one ?? []))).toEqual(finishes.map(() => 'done'))
      await sql`update subscriptions set invalidated_at = null where id = ${user.subscriptionId}`.execute(db)
    },
  },
  'retries are taken and finished': {
    run: async () => {
      await takeAll(under())
      await finish(...taken.map(({ batchId, takes }) => finished(batchId, takes)))
    },
  },
  'a send is paused and goes on': {
    run: async () => {
      const paused = givenTo({ kind: 'userIds', userIds: [user.userId] })
      await fanOut(audience, { campaignId: paused, page: 0 })
      await changeFlow({ ...audience, poke: () => undefined }, { campaignId: paused, appId: large, flow: 'paused', no: 1 })
      await fanOut(audience, { campaignId: givenTo({ kind: 'userIds', userIds: [user.userId] }), page: 0 })
      await changeFlow({ ...audience, poke: () => undefined }, { campaignId: paused, appId: large, flow: 'cancelled', no: 2 })
      const unbegun = { campaignId: newId(), appId: large }
      for (const [no, flow] of (['paused', 'running', 'cancelled'] as const).entries())
        await changeFlow({ ...audience, poke: () => undefined }, { ...unbegun, flow, no: no + 1 })
    },
    rows: onLanes,
  },
  'a circuit is open': {
    run: async () => {
      await sql`insert into circuits (app_id, platform, environment, state, code, probe_at) values (${large}, 'ios', 'production', 'open', 'credentials_invalid', now())
        on conflict (app_id, platform, environment) do update set state = 'open', probe_at = now()`.execute(db)
      const held = [1, 2].map(() => givenTo({ kind: 'userIds', userIds: [user.userId] }))
      for (const one of held) await fanOut(audience, { campaignId: one, page: 0 })
      const ids = (await batchesOf(held)).map(({ id }) => asked(id, { credentialsVersion: 1, environment: 'production' }))
      const answers = await take(...ids)
      expect(answers.map(({ answer }) => answer).toSorted()).toEqual(['held', 'taken'])
      const probes = answers.flatMap((one) => (one.answer === 'taken' ? [one] : []))
      await finish(
        ...probes.map(({ batchId, takes }) =>
          finished(batchId, takes, { answers: [{ environment: 'production', seen: 's', code: null }], credentialsVersion: 1 }),
        ),
      )
      await dropCampaigns({ db, told: { forget: () => undefined } }, [{ campaignIds: held }])
    },
    rows: onLanes,
  },
  'campaigns settle': {
    run: async () => {
      await dropCampaigns({ db, told: { forget: () => undefined } }, [{ campaignIds: under() }])
      await clearSettled(db)
    },
  },
  'a send that lacks outcomes': {
    run: async () => {
      const lacking = givenTo({ kind: 'userIds', userIds: [user.userId] })
      await fanOut(audience, { campaignId: lacking, page: 0 })
      await sql`update fan_outs set due_at = null, told_page = page where campaign_id = ${lacking}`.execute(db)
      await sql`update batches set done_at = now() - interval '1 minute', due_at = null where campaign_id = ${lacking}`.execute(db)
      // On a slow machine sends that other steps have left lack outcomes for 20 s too. They are finished again, as those steps have left them.
      const { opened } = await openUnsettled(db, '')
      expect(opened).toContainEqual({ campaignId: lacking, batches: 1 })
      const reopened = opened.map(({ campaignId }) => campaignId)
      await sql`update batches set done_at = now(), due_at = null where campaign_id = any(${reopened}::text[])`.execute(db)
      await settleFanOuts(db, [lacking])
    },
    rows: 400,
  },
  'the sweep': {
    run: async () => {
      const due = givenTo({ kind: 'userIds', userIds: [user.userId] })
      await fanOut(audience, { campaignId: due, page: 0 })
      await sql`update batches set due_at = now() where campaign_id = ${due}`.execute(db)
      await sql`update fan_outs set due_at = now() where campaign_id = ${due}`.execute(db)
      expect((await sweepDue(audience)).took).toBeGreaterThan(0)
      await sweepDue(audience)
      await findDueAges(db)
    },
    // The sweep also reads the rows that the earlier steps have left.
    rows: 250,
  },
  'a page of a large app': {
    run: async () => {
      const all = givenTo({ kind: 'all' })
      await fanOut(audience, { campaignId: all, page: 0 })
      await sql`update batches set done_at = now() where campaign_id = ${all}`.execute(db)
      await sql`update fan_outs set settled_at = now(), due_at = null where campaign_id = ${all}`.execute(db)
    },
    rows: 5_050,
  },
}

/**
 * Adds this many devices with users, and fan-outs, to the large app, and a fifth as many batches and rows of other tables. None of the added batches,
 * fan-outs and announcements is due.
 */
async function grow(count: number): Promise<void> {
  const fewer = Math.ceil(count / 5)
  const id = sql`'5' || lpad(to_hex(floor(random() * 1e9)::int), 7, '0') || lpad(to_hex(n), 16, '0')`
  const rows = sql`(select ${id} as id, n from generate_series(1, ${count}) as n) as made`
  await sql`set session_replication_role = replica`.execute(db)
  await givenCrowd(db, { appId: large, count, platform: count > 1_000 ? 'android' : 'ios' })
  await sql`insert into fan_outs (campaign_id, app_id, bound_id, state, page, told_page, due_at, settled_at)
    select id, ${large}, '', 'fanned_out', 2, 2, case when n % 10 = 0 then now() + interval '1 hour' end, case when n % 10 <> 0 then now() end from ${rows}`.execute(
    db,
  )
  // A quarter of the batches each is done, taken, to be tried again, and held.
  await sql`insert into batches (id, app_id, campaign_id, platform, lane, day, batch_no, subscription_ids, user_ids, takes, done_at, due_at, lease_until, not_before, held_since)
    select id, ${large}, id, case when n % 4 = 3 then 'web' else 'ios' end, 'prompt', now(), 1, array[id], array[id], least(n % 4, 1), case when n % 4 = 0 then now() end,
      case when n % 4 > 0 then now() + interval '1 hour' end, case when n % 4 = 1 then now() + interval '1 hour' end,
      case when n % 4 > 1 then now() + interval '1 hour' end, case when n % 4 = 3 then now() end from ${rows} limit ${fewer}`.execute(db)
  await sql`insert into circuits (app_id, platform) select id, 'ios' from ${rows} limit ${fewer}`.execute(db)
  await sql`insert into announcements (id, subject, body, due_at) select id, 'event', '[]', now() + interval '1 hour' from ${rows} limit ${fewer}`.execute(
    db,
  )
  await sql`insert into listeners (app_id, version, event_types) select id, 1, '{*}' from ${rows} limit ${fewer}`.execute(db)
  await sql`insert into erased_apps (app_id) select id from ${rows} limit ${fewer}`.execute(db)
  await sql`insert into notified_apps (app_id, named_at) select id, now() from ${rows} limit ${fewer}`.execute(db)
  await sql`insert into last_notified (subscription_id, at) select id, now() from ${rows} limit ${fewer}`.execute(db)
  await sql`insert into gone_devices (subscription_id) select id from ${rows} limit ${fewer}`.execute(db)
  await sql`insert into guarded_invalidations (subscription_id, app_id, platform, environment, token_version) select id, ${large}, 'ios', 'sandbox', 1 from ${rows} limit ${fewer}`.execute(
    db,
  )
  await sql`set session_replication_role = origin`.execute(db)
}

beforeAll(async () => {
  await fixStatistics(db, 'audience')
  const externalId = newId()
  const device = await givenDevice(db, { appId: large, externalId })
  user = { externalId, userId: device.userId, subscriptionId: device.id }
  await givenCrowd(db, { appId: small, count: 6 })
  await sql`insert into notified_apps (app_id, named_at) values (${large}, now())`.execute(db)
  await sql`insert into listeners (app_id, version, event_types) values (${large}, 1, '{*}')`.execute(db)
  peers.settings.set(large, defaultSettings)
})

test('the statements of a send read few rows while tables grow to 100,000 rows, before and after Postgres analyses them', async () => {
  expect(await lookWhileGrowing(plans, steps, grow)).toEqual({ empty: [], few: [], many: [], analysed: [] })
})
