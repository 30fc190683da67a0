import { defaultSettings } from '@herald/contracts/app'
import { isHeldOut } from '@herald/contracts/holdout'
import { newId } from '@herald/contracts/ids'
import { expect, test } from 'vitest'
import { dryRun } from './dry-run.ts'
import { openStarting } from './start-sends.ts'
import { findFanOut } from './store/fan-outs.ts'
import { fanOutAll, givenCrowd, givenDevice, givenSend, openAudience } from '../testing/rig.ts'

const { audience, db, peers } = await openAudience()
const holdout = { percent: 20, since: '2026-01-01T00:00:00.000Z', generation: 3 }

/** Fans a send out and gives the reason of each device's skip, by device. */
async function sendTo(send: ReturnType<typeof givenSend>): Promise<Map<string, string | null>> {
  const campaignId = peers.givenCampaign(send, { kind: 'all' })
  await fanOutAll(audience, campaignId)
  expect((await findFanOut(db, campaignId))?.state).toBe('fanned_out')
  const batches = await db.selectFrom('batches').select(['subscription_ids', 'decided']).where('campaign_id', '=', campaignId).execute()
  return new Map(
    batches.flatMap(({ subscription_ids, decided }) =>
      subscription_ids.map((id, place) => [id, decided?.find((one) => one.place === place)?.code ?? null] as const),
    ),
  )
}

// spec: experiments/holdout-queued, experiments/holdout
test('a campaign queues who is held out and skips their devices before the cap; a dry run says how many', async () => {
  const appId = newId()
  peers.settings.set(appId, { ...defaultSettings, holdout, frequencyCap: { max: 1, windowSeconds: 3_600 } })
  const crowd = await givenCrowd(db, { appId, count: 400 })
  const users = new Map(
    (await db.selectFrom('subscriptions').select(['id', 'user_id']).where('app_id', '=', appId).execute()).map((one) => [
      one.id,
      one.user_id,
    ]),
  )
  const [first = ''] = crowd
  const tablet = await givenDevice(db, { appId, userId: users.get(first) ?? '', platform: 'web' })
  users.set(tablet.id, tablet.userId)
  const held = [...users].filter(([, userId]) => isHeldOut(appId, holdout, userId)).map(([id]) => id)
  expect(held.length).toBeGreaterThan(40)

  const send = givenSend(appId, { transactional: false })
  const run = await dryRun(audience, {
    appId,
    send,
    target: { kind: 'all' },
    startsAt: null,
    samples: { subscriptionIds: held.slice(0, 1) },
  })
  expect(run.skips).toEqual([{ reason: 'holdout', devices: held.length, estimated: null }])
  expect(run.samples).toMatchObject([{ skip: 'holdout' }])

  const queued = await sendTo(send)
  expect([...queued.keys()].toSorted()).toEqual([...users.keys()].toSorted())
  expect(
    [...queued]
      .filter(([, skip]) => skip === 'holdout')
      .map(([id]) => id)
      .toSorted(),
  ).toEqual(held.toSorted())
  // Who was held out has used up nothing of the cap.
  const claimed = await db.selectFrom('cap_claims').select('user_id').where('app_id', '=', appId).execute()
  expect(claimed.filter(({ user_id }) => isHeldOut(appId, holdout, user_id))).toEqual([])
  const again = await sendTo(givenSend(appId, { transactional: false }))
  expect([...again].filter(([, skip]) => skip === 'holdout')).toHaveLength(held.length)
  expect([...again].filter(([, skip]) => skip === 'frequency_cap')).toHaveLength(users.size - held.length)
})

// spec: experiments/holdout-queued
test('a notification, a silent send, a test and a send that bypasses the hold-out reach who is held out', async () => {
  const appId = newId()
  peers.settings.set(appId, { ...defaultSettings, holdout })
  await givenCrowd(db, { appId, count: 50 })
  for (const fields of [
    { transactional: true },
    { transactional: false, silent: true },
    { transactional: false, bypass: { holdout: true } },
    { transactional: true, test: true as const },
  ]) {
    const skips = [...(await sendTo(givenSend(appId, fields))).values()].filter((skip) => skip === 'holdout')
    expect({ fields, skips }).toEqual({ fields, skips: [] })
  }
})

// spec: experiments/holdout-queued
test('a campaign to few people is not begun together with others, which knows no hold-out', async () => {
  const appId = newId()
  peers.settings.set(appId, { ...defaultSettings, holdout })
  const device = await givenDevice(db, { appId })
  const send = givenSend(appId, { transactional: false })
  await openStarting(audience, () => undefined)([{ send, target: { kind: 'userIds', userIds: [device.userId] } }])
  expect(await findFanOut(db, send.campaignId)).toBeUndefined()
})
