import { findLastNotified, readNotified } from '@herald/contracts/calls/tracker'
import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { expect, test } from 'vitest'
import { givenCampaign, givenOutcome, givenOutcomes, givenTracker, givenSettled } from './testing/given-tracker.ts'

/** These are the calls with which audience finds out when devices were last sent a push, for lastNotifiedAt. */

const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
await givenTracker({ databaseUrl: database.url('tracker'), natsUrl })
const [dispatcher, audience] = await Promise.all([givenPeer('dispatcher', natsUrl), givenPeer('audience', natsUrl)])

type Portion = { notified: { at: string; subscriptionIds: string[] }[]; next: string | null }

test('audience reads each sent push of an app once, with its time, none failed, skipped or another’s', async () => {
  const first = givenCampaign()
  const second = { ...givenCampaign(), appId: first.appId }
  const sent = givenOutcomes(7_000)
  const again = sent.slice(0, 10).map(({ subscriptionId, userId }) => givenOutcome({ subscriptionId, userId }))
  await givenSettled(dispatcher, first, [...sent, ...givenOutcomes(5, { outcome: 'failed', code: 'timeout' })])
  await givenSettled(dispatcher, givenCampaign(), givenOutcomes(3))
  await givenSettled(dispatcher, second, [...again, ...givenOutcomes(2, { outcome: 'skipped', code: 'opted_out' })])

  const pushes: { id: string; at: string }[] = []
  let portions = 0
  for (let after: string | null = null, more = true; more; portions += 1) {
    const answer: Portion = await audience.call(readNotified, { appId: first.appId, after })
    pushes.push(...answer.notified.flatMap(({ at, subscriptionIds }) => subscriptionIds.map((id) => ({ id, at }))))
    after = answer.next
    more = after !== null
  }

  expect(portions).toBeGreaterThan(1)
  expect(pushes.map(({ id }) => id).toSorted()).toEqual([...sent, ...again].map(({ subscriptionId }) => subscriptionId).toSorted())
  expect(pushes.every(({ at }) => Math.abs(Date.now() - Date.parse(at)) < 600_000)).toBe(true)
})

test('for each device the tracker answers when its newest push was sent, and leaves out devices without a sent push', async () => {
  const [older, newer] = [givenCampaign(), givenCampaign()]
  const push = givenOutcome()
  const failed = givenOutcome({ outcome: 'failed', code: 'timeout' })
  await givenSettled(dispatcher, older, [push, failed])
  await givenSettled(dispatcher, { ...newer, appId: older.appId }, [givenOutcome({ subscriptionId: push.subscriptionId })])

  const subscriptionIds = [push.subscriptionId, failed.subscriptionId, newId()]
  const { notified } = await audience.call(findLastNotified, { appId: older.appId, subscriptionIds })
  const all = await audience.call(readNotified, { appId: older.appId, after: null })
  const moments = all.notified.filter(({ subscriptionIds: ids }) => ids.includes(push.subscriptionId)).map(({ at }) => at)
  expect(moments).toHaveLength(2)
  expect(notified).toEqual([{ subscriptionId: push.subscriptionId, at: moments.toSorted().at(-1) }])
  expect(await audience.call(findLastNotified, { appId: newId(), subscriptionIds })).toEqual({ notified: [] })
})
