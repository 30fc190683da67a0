import type { FrozenTarget } from '@herald/contracts/calls/campaigns'
import { defaultSettings } from '@herald/contracts/app'
import { newId } from '@herald/contracts/ids'
import { mostActivityTokens, type LiveActivity } from '@herald/contracts/live-activity'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { eraseApp } from './erase-app.ts'
import { deleteActivityToken, putActivityToken } from './people/activity-tokens.ts'
import { exportUsers } from './people/export-users.ts'
import { readMaskedUser } from './people/read-users.ts'
import { deleteSubscription } from './people/delete-subscription.ts'
import { explainDevices } from './sends/explain-devices.ts'
import { fanOut } from './sends/fan-out.ts'
import { purgeActivities } from './store/activities.ts'
import { finished, retried, withBatches } from './testing/batches.ts'
import { givenDevice, givenSend, openAudience } from './testing/rig.ts'

const rig = await openAudience()
const { db, audience, peers } = rig
const { takeOne, finish, expireLease } = withBatches(rig)

const attributesType = 'MatchAttributes'
const match = (change: Partial<LiveActivity>): LiveActivity => ({
  activityId: 'match-3',
  event: 'update',
  attributesType,
  contentState: { home: 1 },
  timestamp: 1_000,
  ...change,
})
const putStart = (appId: string, subscriptionId: string, token = `start-${subscriptionId}`, name = attributesType) =>
  putActivityToken({ db }, { appId, subscriptionId, starts: true, name, attributesType: name, token })
const put = (appId: string, subscriptionId: string, token = `token-${subscriptionId}`, name = 'match-3') =>
  putActivityToken({ db }, { appId, subscriptionId, starts: false, name, attributesType, token })
const tokensIn = (appId: string) => db.selectFrom('activity_tokens').selectAll().where('app_id', '=', appId).execute()

/** Makes the batches of a send to an activity, and gives the id of its batch; undefined when it reaches nobody. */
async function queue(appId: string, activity: LiveActivity, target: FrozenTarget = { kind: 'all' }): Promise<string | undefined> {
  const campaignId = peers.givenCampaign(givenSend(appId, { activity, content: null, silent: true }), target)
  await fanOut(audience, { campaignId, page: 0 })
  return (await db.selectFrom('batches').select('id').where('campaign_id', '=', campaignId).executeTakeFirst())?.id
}
async function reached(appId: string, activity: LiveActivity, target?: FrozenTarget): Promise<[id: string, token: string][]> {
  const batchId = await queue(appId, activity, target)
  return batchId === undefined ? [] : (await takeOne(batchId)).recipients.map(({ subscriptionId, address }) => [subscriptionId, address])
}
const endsOf = async (batchId: string | undefined) =>
  (await takeOne(batchId ?? '')).decided.map(({ outcome, code, attempts }) => [outcome, code, attempts])

// spec: activities/tokens
test('a device keeps at most 20 tokens of Live Activities, also when 40 come at once; a deletion makes room', async () => {
  const appId = newId()
  const { id } = await givenDevice(db, { appId })
  const answers = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => (n % 2 ? put : putStart)(appId, id, `t-${n}`, `name-${n}`)))
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(mostActivityTokens)
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []))
  expect(refused).toEqual(Array.from({ length: 20 }, () => expect.objectContaining({ code: 'limit_reached' }) as unknown))

  const kept = await tokensIn(appId)
  expect(kept).toHaveLength(mostActivityTokens)
  const [one] = kept.filter(({ starts }) => !starts)
  await expect(put(appId, id, 'new-token', one?.name)).resolves.toEqual({ id })
  await expect(put(appId, id, 't', 'one-more')).rejects.toMatchObject({ code: 'limit_reached' })
  await deleteActivityToken({ db }, { appId, subscriptionId: id, activityId: one?.name ?? '' })
  await deleteActivityToken({ db }, { appId, subscriptionId: id, activityId: one?.name ?? '' })
  await expect(put(appId, id, 't', 'one-more')).resolves.toEqual({ id })
})

// spec: activities/tokens
test('a token is refused for an Android device, and for a device of another app', async () => {
  const appId = newId()
  const [android, ios] = [await givenDevice(db, { appId, platform: 'android' }), await givenDevice(db, { appId })]
  await expect(put(appId, android.id)).rejects.toMatchObject({ code: 'invalid_body', details: [{ path: 'token' }] })
  await expect(put(newId(), ios.id)).rejects.toMatchObject({ code: 'not_found' })
  const foreign = deleteActivityToken({ db }, { appId: newId(), subscriptionId: ios.id, activityId: 'match-3' })
  await expect(foreign).rejects.toMatchObject({ code: 'not_found' })
  expect(await tokensIn(appId)).toEqual([])
})

// spec: activities/token-age
test('a token of an activity goes after 12 hours, one for starting after 90 days, all with their device', async () => {
  const appId = newId()
  const [old, fresh, gone] = [await givenDevice(db, { appId }), await givenDevice(db, { appId }), await givenDevice(db, { appId })]
  for (const { id } of [old, fresh, gone]) {
    await put(appId, id)
    await putStart(appId, id)
  }
  const age = (by: string) =>
    sql`update activity_tokens set changed_at = now() - ${by}::interval where subscription_id = ${old.id}`.execute(db)
  await age('12 hours')
  await deleteSubscription({ db }, { appId, subscriptionId: gone.id })

  expect(await reached(appId, match({}))).toEqual([[fresh.id, `token-${fresh.id}`]])
  const started = await reached(appId, match({ event: 'start' }))
  expect(started.map(([id]) => id).toSorted()).toEqual([old.id, fresh.id].toSorted())
  await purgeActivities(db)
  expect(await tokensIn(appId)).toHaveLength(3)
  await age('90 days')
  expect(await reached(appId, match({ event: 'start', activityId: 'match-4' }))).toEqual([[fresh.id, `start-${fresh.id}`]])
  await purgeActivities(db)
  expect((await tokensIn(appId)).map(({ subscription_id }) => subscription_id)).toEqual([fresh.id, fresh.id])

  while (!(await eraseApp(audience, { appId })).done);
  expect(await tokensIn(appId)).toEqual([])
  expect(await db.selectFrom('activities').selectAll().where('app_id', '=', appId).execute()).toEqual([])
})

// spec: activities/token-secret
test('the administration and the exports show which tokens of Live Activities a device has, and never a token', async () => {
  const appId = newId()
  const { id, userId } = await givenDevice(db, { appId })
  await put(appId, id, 'a1b2c3d4e5f6')
  await putStart(appId, id, 'f6e5d4c3b2a1')
  const person = await readMaskedUser(db, { appId, user: { userId } })
  const whole = await exportUsers(audience, { appId, after: null, addresses: 'full' })
  const shown = [
    { name: 'match-3', starts: false, attributesType, token: 'a1b2c3d4…', changedAt: expect.stringMatching(/^20.*Z$/) as string },
    { name: attributesType, starts: true, attributesType, token: 'f6e5d4c3…', changedAt: expect.stringMatching(/^20.*Z$/) as string },
  ]
  for (const { subscriptions } of [person, ...whole.users]) expect(subscriptions.map((device) => device.activityTokens)).toEqual([shown])
  expect(whole.users).toHaveLength(1)
})

// spec: activities/reach
test('a start reaches whom of its target has a start token; an update whoever has the activity, also opted out', async () => {
  const appId = newId()
  const [both, onlyStart, optedOut, invalid] = [
    await givenDevice(db, { appId, externalId: 'ada' }),
    await givenDevice(db, { appId }),
    await givenDevice(db, { appId }),
    await givenDevice(db, { appId }),
  ]
  await givenDevice(db, { appId, externalId: 'bob' })
  for (const { id } of [both, onlyStart, optedOut, invalid]) await putStart(appId, id)
  for (const { id } of [both, optedOut, invalid]) await put(appId, id)
  await putStart(appId, both.id, 'of-another-type', 'RideAttributes')
  await sql`update subscriptions set opted_in = false where id = ${optedOut.id}`.execute(db)
  await sql`update subscriptions set invalidated_at = now() where id = ${invalid.id}`.execute(db)

  const start = match({ event: 'start', attributes: {} })
  const idsOf = async (...asked: Parameters<typeof reached>) => new Set((await reached(...asked)).map(([id]) => id))
  expect(await idsOf(appId, start)).toEqual(new Set([both.id, onlyStart.id]))
  expect(await idsOf(appId, start, { kind: 'externalIds', externalIds: ['ada', 'bob'] })).toEqual(new Set([both.id]))
  const on = (platform: string): FrozenTarget => ({ kind: 'segment', segment: { and: [{ field: 'platform', op: 'eq', value: platform }] } })
  expect(await idsOf(appId, start, on('ios'))).toEqual(new Set([both.id, onlyStart.id]))
  expect(await idsOf(appId, start, on('android'))).toEqual(new Set())
  expect(await idsOf(appId, match({ event: 'end', timestamp: 2_000 }))).toEqual(new Set([both.id, optedOut.id]))
  expect(await idsOf(appId, match({ attributesType: 'RideAttributes', timestamp: 3_000 }))).toEqual(new Set())
  expect(await idsOf(newId(), match({}))).toEqual(new Set())
})

// spec: activities/reach
test('explain says which devices have no token for a Live Activity, and stops no update at an opt-out', async () => {
  const appId = newId()
  const [holder, other] = [await givenDevice(db, { appId }), await givenDevice(db, { appId })]
  await put(appId, holder.id)
  await sql`update subscriptions set opted_in = false where app_id = ${appId}`.execute(db)
  const send = givenSend(appId, { activity: match({}), content: null, silent: true })
  const devices = [holder, other].map(({ id }) => ({ subscriptionId: id, no: null }))
  const asked = {
    appId,
    campaignId: send.campaignId,
    begins: true,
    startedAt: null,
    target: { kind: 'all' },
    settings: defaultSettings,
  } as const
  const explained = await explainDevices({ db }, { ...asked, send, devices })
  const stops = explained.devices.map(({ steps }) => steps.flatMap((step) => (step.result === 'stop' ? [step] : [])))
  expect(stops).toEqual([[], [{ step: 'target', result: 'stop', basis: 'now', kind: 'activity', listed: false }]])
})

// spec: activities/exempt
test('a Live Activity obeys neither quiet hours nor a frequency cap nor the hold-out, and counts for no cap', async () => {
  const appId = newId()
  const { id, userId } = await givenDevice(db, { appId })
  await put(appId, id)
  peers.settings.set(appId, {
    ...defaultSettings,
    quietHours: { start: '00:00', end: '23:59', action: 'skip' },
    frequencyCap: { max: 1, windowSeconds: 86_400 },
    holdout: { percent: 100, salt: 's' } as never,
  })
  for (const timestamp of [1_000, 1_001]) expect(await reached(appId, match({ timestamp }))).toHaveLength(1)
  expect(await db.selectFrom('cap_claims').selectAll().where('user_id', '=', userId).execute()).toEqual([])
})

// spec: activities/overtaken
test('an update that a newer one has overtaken is skipped as expired, also after a kill or a failed try', async () => {
  const appId = newId()
  for (const _ of [1, 2, 3]) await put(appId, (await givenDevice(db, { appId })).id)
  const killed = (await queue(appId, match({ timestamp: 1_000 }))) ?? ''
  expect((await takeOne(killed)).recipients).toHaveLength(3)
  const failing = (await queue(appId, match({ timestamp: 1_001 }))) ?? ''
  const taken = await takeOne(failing)
  const [busy] = taken.recipients
  await finish({
    ...finished(failing, taken.takes),
    appId,
    retries: [retried(busy!, { place: busy!.place, tries: 1, code: 'timeout' })],
  })
  const retry = await db.selectFrom('batches').select('id').where('retry_of', '=', failing).executeTakeFirstOrThrow()

  const newest = await queue(appId, match({ timestamp: 1_002 }))
  await expireLease(killed)
  expect(await endsOf(killed)).toEqual(Array.from({ length: 3 }, () => ['skipped', 'expired', 0]))
  expect(await endsOf(retry.id)).toEqual([['skipped', 'expired', 0]])
  expect((await takeOne(newest ?? '')).recipients).toHaveLength(3)
})

// spec: activities/overtaken
test('an update does not overtake a start, whose devices do not have the activity yet; an end does', async () => {
  const appId = newId()
  const { id } = await givenDevice(db, { appId })
  await putStart(appId, id)
  await put(appId, id)
  const start = match({ event: 'start', attributes: {}, timestamp: 1_000 })
  const [first, second] = [await queue(appId, start), await queue(appId, { ...start, timestamp: 1_001 })]
  await queue(appId, match({ timestamp: 1_002 }))
  expect((await takeOne(first ?? '')).recipients).toHaveLength(1)
  await queue(appId, match({ event: 'end', timestamp: 1_003 }))
  expect(await endsOf(second)).toEqual([['skipped', 'expired', 0]])
})

// spec: activities/overtaken
test('a device whose token has gone between the page and the take is skipped as expired', async () => {
  const appId = newId()
  const { id } = await givenDevice(db, { appId })
  await put(appId, id)
  const batchId = await queue(appId, match({}))
  await deleteActivityToken({ db }, { appId, subscriptionId: id, activityId: 'match-3' })
  expect(await endsOf(batchId)).toEqual([['skipped', 'expired', 0]])
})

// spec: activities/dead-token
test('a token that APNs calls dead is deleted and its device stays reachable; a newer token stays', async () => {
  const appId = newId()
  const devices = [await givenDevice(db, { appId }), await givenDevice(db, { appId })]
  for (const { id } of devices) await put(appId, id)
  const batchId = (await queue(appId, match({}))) ?? ''
  const { takes, recipients } = await takeOne(batchId)
  await put(appId, devices[1]!.id, 'newer-token')
  await finish({
    ...finished(batchId, takes),
    appId,
    activity: { starts: false, name: 'match-3' },
    dead: recipients.map(({ subscriptionId, userId, tokenVersion }) => ({
      ...{ subscriptionId, userId, tokenVersion, agoMs: 0, deadSince: null, code: 'token_dead' },
    })),
  })
  expect((await tokensIn(appId)).map(({ token }) => token)).toEqual(['newer-token'])
  const { rows } = await sql<{ id: string }>`select id from subscriptions where app_id = ${appId} and invalidated_at is null`.execute(db)
  expect(rows).toHaveLength(2)
})
