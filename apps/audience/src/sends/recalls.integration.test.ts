import { defaultSettings } from '@herald/contracts/app'
import { newId } from '@herald/contracts/ids'
import { expect, test } from 'vitest'
import { fanOutAll, givenCrowd, givenDevice, givenSend, openAudience } from '../testing/rig.ts'
import { findFanOut } from './store/fan-outs.ts'

const { audience, db, peers } = await openAudience()

/** Fans the follow-up of a recall out. Gives the queued devices, each with the user of its push and why it is skipped at once. */
async function recall(appId: string, of: string) {
  const category = { id: 'offers', default: 'out' as const, locked: false }
  const send = givenSend(appId, { transactional: false, category, recall: { of, mode: 'replace', variants: null } })
  const campaignId = peers.givenCampaign(send, { kind: 'reached', of, skipOpened: true })
  await fanOutAll(audience, campaignId)
  while ((await findFanOut(db, campaignId))?.state !== 'fanned_out') {
    // Makes room in the bulk window.
    await db.updateTable('batches').set({ done_at: new Date() }).where('campaign_id', '=', campaignId).execute()
    await fanOutAll(audience, campaignId)
  }
  const rows = await db
    .selectFrom('batches')
    .select(['subscription_ids as ids', 'user_ids as users', 'decided'])
    .where('campaign_id', '=', campaignId)
    .execute()
  return rows.flatMap(({ ids, users, decided }) => ids.map((id, place) => ({ id, userId: users[place], isSkipped: decided !== null })))
}

// spec: recall/target, recall/exempt
test('a follow-up queues each device of the ledger once, page by page, despite caps, quiet hours, hold-out and category', async () => {
  const appId = newId()
  peers.settings.set(appId, {
    ...defaultSettings,
    holdout: { percent: 20, since: '2026-01-01T00:00:00.000Z', generation: 1 },
    frequencyCap: { max: 1, windowSeconds: 3_600 },
    quietHours: { start: '00:00', end: '23:59', action: 'skip' },
  })
  const crowd = await givenCrowd(db, { appId, count: 5_500 })
  const owners = await db.selectFrom('subscriptions').select(['id', 'user_id as userId']).where('app_id', '=', appId).execute()
  const ofFirst = owners.filter(({ id }) => crowd.indexOf(id) >= 500).map(({ id, userId }) => ({ subscriptionId: id, userId }))
  const of = newId()
  peers.reached.set(of, ofFirst)

  for (const _ of [1, 2]) {
    const queued = await recall(appId, of)
    expect(queued.map(({ id }) => id).toSorted()).toEqual(crowd.slice(500).toSorted())
    expect(queued.filter(({ isSkipped }) => isSkipped)).toEqual([])
    await db.updateTable('batches').set({ done_at: new Date() }).where('app_id', '=', appId).execute()
  }
  expect(await db.selectFrom('cap_claims').select('user_id').where('app_id', '=', appId).execute()).toEqual([])
})

// spec: recall/target
test('a follow-up is for the users of the first pushes, and leaves out devices deleted or unreachable by now', async () => {
  const appId = newId()
  const [kept, moved, deleted] = [await givenDevice(db, { appId }), await givenDevice(db, { appId }), newId()]
  const gone = await givenDevice(db, { appId })
  await db.updateTable('subscriptions').set({ invalidated_at: new Date() }).where('id', '=', gone.id).execute()
  const stranger = await givenDevice(db, { appId: newId() })
  const former = newId()
  const of = newId()
  peers.reached.set(of, [
    { subscriptionId: kept.id, userId: kept.userId },
    { subscriptionId: moved.id, userId: former },
    { subscriptionId: gone.id, userId: gone.userId },
    { subscriptionId: deleted, userId: newId() },
    { subscriptionId: stranger.id, userId: stranger.userId },
  ])

  const queued = await recall(appId, of)

  expect(new Map(queued.map(({ id, userId }) => [id, userId]))).toEqual(
    new Map([
      [kept.id, kept.userId],
      [moved.id, former],
    ]),
  )
})

// spec: recall/target
test('when the outcomes of the first campaign are not kept any more, the follow-up reaches nobody and ends', async () => {
  expect(await recall(newId(), newId())).toEqual([])
})
