import {
  duplicateCampaign,
  eraseCampaignsOfApp,
  getCampaign,
  readSend,
  sendLiveActivity,
  sendTest,
} from '@herald/contracts/calls/campaigns'
import { newId } from '@herald/contracts/ids'
import type { SendLiveActivity } from '@herald/contracts/live-activity'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { deleteOldActivities } from './store/activities.ts'
import { fingerprintOf, givenContent, givenPlatform } from './testing/given-campaigns.ts'

const { db, gateway, audience, rowOf } = await givenPlatform()
const attributesType = 'MatchAttributes'
const update = (activityId = 'match-3'): SendLiveActivity => ({ activityId, event: 'update', attributesType, contentState: { home: 1 } })
const start: SendLiveActivity = {
  ...update(),
  event: 'start',
  target: { externalIds: ['ada'] },
  attributes: { home: 'Graz' },
  alert: givenContent(),
}
const send = (appId: string, activity: SendLiveActivity, key?: string) =>
  gateway.call(sendLiveActivity, { appId, idempotency: key === undefined ? null : { key, fingerprint: fingerprintOf(key) }, activity })
const timestampOf = async (id: string) => (await rowOf(id)).activity?.timestamp ?? 0

// spec: activities/order
test('100 updates of an activity that come at once get 100 different timestamps, and each later one a higher one', async () => {
  const appId = newId()
  await Promise.all(Array.from({ length: 100 }, (_, n) => send(appId, update(n % 4 === 0 ? 'other' : 'match-3'))))
  const stamps = await db.selectFrom('campaigns').select('activity').where('app_id', '=', appId).execute()
  for (const activityId of ['other', 'match-3']) {
    const own = stamps.flatMap(({ activity }) => (activity?.activityId === activityId ? [activity.timestamp] : []))
    expect(new Set(own).size).toBe(activityId === 'other' ? 25 : 75)
    const highest = Math.max(...own)
    for (const next of [1, 2]) expect(await timestampOf((await send(appId, update(activityId))).id)).toBe(highest + next)
  }
  // Another app's activity with the same id begins with now.
  const { rows } = await sql<{ now: number }>`select floor(extract(epoch from now()))::bigint as now`.execute(db)
  expect(Math.abs((await timestampOf((await send(newId(), update())).id)) - (rows[0]?.now ?? 0))).toBeLessThan(60)
})

// spec: activities/order
test('a replay of an accepted send moves no timestamp, and an activity that was forgotten begins with now again', async () => {
  const appId = newId()
  const first = await send(appId, update(), 'goal-1')
  expect(await send(appId, update(), 'goal-1')).toMatchObject({ id: first.id, replayed: true })
  const at = await timestampOf(first.id)
  expect(await db.selectFrom('activities').select('last_at').where('app_id', '=', appId).execute()).toEqual([{ last_at: at }])

  await deleteOldActivities(db)
  expect(await db.selectFrom('activities').select('last_at').where('app_id', '=', appId).execute()).toHaveLength(1)
  await sql`update activities set last_at = last_at - 13 * 3600 where app_id = ${appId}`.execute(db)
  await deleteOldActivities(db)
  expect(await db.selectFrom('activities').select('last_at').where('app_id', '=', appId).execute()).toEqual([])
})

// spec: activities/send, activities/request
test('audience gets a start with target and alert, an update for all holders, each with its priority and ttl', async () => {
  const appId = newId()
  const ask = async (activity: SendLiveActivity) => {
    const { id, status } = await send(appId, activity)
    expect(status).toBe('sending')
    // Audience reads such a send, as it reads every send that it is not handed over.
    return audience.bus.call(readSend, { campaignId: id })
  }
  expect(await ask(start)).toMatchObject({
    target: { kind: 'externalIds', externalIds: ['ada'] },
    send: {
      content: givenContent(),
      silent: false,
      priority: 'high',
      ttl: 43_200,
      activity: { event: 'start', attributes: { home: 'Graz' } },
    },
  })
  expect(await ask({ ...update(), ttl: 60, staleAt: '2026-02-01T08:00:00.000Z' })).toMatchObject({
    target: { kind: 'all' },
    send: {
      content: null,
      silent: true,
      priority: 'normal',
      ttl: 60,
      activity: { staleAt: '2026-02-01T08:00:00.000Z', contentState: { home: 1 } },
    },
  })
  await expect(ask({ ...update(), contentState: { text: 'x'.repeat(4_096) } })).rejects.toMatchObject({
    code: 'invalid_body',
    details: [{ path: 'contentState' }],
  })
  expect(await ask({ ...update(), event: 'end' })).toMatchObject({ send: { priority: 'high' } })
  expect(await ask({ ...update(), priority: 'high' })).toMatchObject({ send: { priority: 'high' } })
})

test('a send to a Live Activity says its purpose, cannot be duplicated or tested, and goes with its app', async () => {
  const appId = newId()
  const { id } = await send(appId, update())
  expect((await gateway.call(getCampaign, { appId, campaignId: id })).activity).toMatchObject({
    activityId: 'match-3',
    event: 'update',
  })
  await expect(gateway.call(duplicateCampaign, { appId, campaignId: id })).rejects.toMatchObject({ code: 'invalid_state' })
  await expect(
    gateway.call(sendTest, { appId, idempotency: null, test: { campaignId: id, subscriptionId: newId() } }),
  ).rejects.toMatchObject({ code: 'invalid_state' })
  while (!(await gateway.call(eraseCampaignsOfApp, { appId })).done);
  expect(await db.selectFrom('activities').selectAll().where('app_id', '=', appId).execute()).toEqual([])
  await expect(send(appId, update())).rejects.toMatchObject({ code: 'not_found' })
  expect(await db.selectFrom('activities').selectAll().where('app_id', '=', appId).execute()).toEqual([])
})
