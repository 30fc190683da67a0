import { defaultSettings } from '@herald/contracts/app'
import { newId } from '@herald/contracts/ids'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { changeSubscription, beginSession } from './people/change-subscription.ts'
import { deleteSubscription } from './people/delete-subscription.ts'
import { eraseApp } from './erase-app.ts'
import { fanOut } from './sends/fan-out.ts'
import { raiseBadges } from './store/badges.ts'
import { finished, retried, withBatches } from './testing/batches.ts'
import { givenCrowd, givenDevice, givenSend, openAudience } from './testing/rig.ts'

const rig = await openAudience()
const { db, audience, peers } = rig
const { takeOne, finish, expireLease } = withBatches(rig)

const raising = (appId: string, badgeIncrement = 1, change: Parameters<typeof givenSend>[1] = {}) =>
  givenSend(appId, { presentation: { badgeIncrement }, ...change })
/** Makes the batches of a send to everyone, and gives their ids. */
async function queue(send: ReturnType<typeof givenSend>): Promise<string[]> {
  const campaignId = peers.givenCampaign(send, { kind: 'all' })
  await fanOut(audience, { campaignId, page: 0 })
  const rows = await db.selectFrom('batches').select('id').where('campaign_id', '=', campaignId).orderBy('batch_no').execute()
  return rows.map(({ id }) => id)
}
const badgeOf = async (subscriptionId: string): Promise<number | undefined> =>
  (await db.selectFrom('badges').select('badge').where('subscription_id', '=', subscriptionId).executeTakeFirst())?.badge

// spec: sending/badge-increment
test('five campaigns at once give each device the badges 1 to 5; a retried or retaken batch keeps its own', async () => {
  const appId = newId()
  const crowd = await givenCrowd(db, { appId, count: 40 })
  const batches = (await Promise.all(Array.from({ length: 5 }, () => queue(raising(appId))))).flat()
  expect(batches).toHaveLength(5)
  const given = new Map<string, number[]>(crowd.map((id) => [id, []]))
  for (const batchId of batches) {
    const killed = await takeOne(batchId)
    await expireLease(batchId)
    const again = await takeOne(batchId)
    expect(again.recipients.map(({ subscriptionId, badge }) => [subscriptionId, badge])).toEqual(
      killed.recipients.map(({ subscriptionId, badge }) => [subscriptionId, badge]),
    )
    for (const { subscriptionId, badge } of again.recipients) given.get(subscriptionId)?.push(badge ?? 0)

    // Two pushes are tried again, in a batch of their own.
    const retries = again.recipients.slice(7, 9)
    await finish({
      ...finished(batchId, again.takes),
      appId,
      retries: retries.map((recipient) => retried(recipient, { place: recipient.place, tries: 1, code: 'timeout' })),
    })
    const { id } = await db.selectFrom('batches').select('id').where('retry_of', '=', batchId).executeTakeFirstOrThrow()
    expect((await takeOne(id)).recipients.map(({ subscriptionId, badge }) => [subscriptionId, badge])).toEqual(
      retries.map(({ subscriptionId, badge }) => [subscriptionId, badge]),
    )
  }
  for (const badges of given.values()) expect(badges.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5])
})

// spec: sending/badge-increment
test('a badge rises to at most 99,999; a session sets it to 0, the device to any number', async () => {
  const appId = newId()
  const { id: subscriptionId } = await givenDevice(db, { appId })
  await queue(raising(appId, 7))
  expect(await badgeOf(subscriptionId)).toBe(7)
  await beginSession(audience, { appId, subscriptionId, session: {} })
  expect(await badgeOf(subscriptionId)).toBe(0)
  await queue(raising(appId, 2))
  expect(await badgeOf(subscriptionId)).toBe(2)
  expect(await changeSubscription(audience, { appId, subscriptionId, changes: { badge: 99_990 } })).toEqual({
    id: subscriptionId,
    optedIn: true,
  })
  await queue(raising(appId, 1_000))
  expect(await badgeOf(subscriptionId)).toBe(99_999)
  await changeSubscription(audience, { appId, subscriptionId, changes: { badge: 3, optedIn: false } })
  expect(await badgeOf(subscriptionId)).toBe(3)
  await expect(changeSubscription(audience, { appId: newId(), subscriptionId, changes: { badge: 3 } })).rejects.toMatchObject({
    code: 'not_found',
  })
})

// spec: sending/badge-increment
test('a send without an increment, a silent one and a skipped push raise no badge', async () => {
  const appId = newId()
  const { id } = await givenDevice(db, { appId })
  const [plain] = await queue(givenSend(appId, { presentation: { badge: 4 } }))
  await queue(raising(appId, 1, { silent: true, content: null }))
  expect(await badgeOf(id)).toBeUndefined()
  expect((await takeOne(plain!)).recipients[0]).not.toHaveProperty('badge')

  const quiet = newId()
  peers.settings.set(quiet, { ...defaultSettings, quietHours: { start: '00:00', end: '23:59', action: 'skip' } })
  const asleep = await givenDevice(db, { appId: quiet })
  await queue(raising(quiet))
  expect(await badgeOf(asleep.id)).toBeUndefined()
})

// spec: sending/badge-increment
test('the badge of a device goes with the device and with its app', async () => {
  const appId = newId()
  const [one, other] = [await givenDevice(db, { appId }), await givenDevice(db, { appId })]
  await raiseBadges(db, appId, [one.id, other.id, newId()], 5)
  await deleteSubscription({ db }, { appId, subscriptionId: one.id })
  expect(await badgeOf(one.id)).toBeUndefined()
  expect(await badgeOf(other.id)).toBe(5)
  while (!(await eraseApp(audience, { appId })).done);
  expect((await sql`select from badges where app_id = ${appId}`.execute(db)).rows).toEqual([])
})
