import { newId } from '@herald/contracts/ids'
import { isInSample } from '@herald/contracts/experiment'
import { expect, test } from 'vitest'
import { findFanOut } from './store/fan-outs.ts'
import { fanOutAll, givenCrowd, givenDevice, givenSend, openAudience } from '../testing/rig.ts'

const { audience, db, peers } = await openAudience()

const content = { _default: 'en', en: { title: 'Hello', body: 'World' } }
const experiment = {
  sampleRate: 0.3,
  variants: [
    { id: 'a', weight: 1, content },
    { id: 'b', weight: 1, content },
  ],
}

async function sendTo(send: ReturnType<typeof givenSend>): Promise<string[]> {
  const campaignId = peers.givenCampaign(send, { kind: 'all' })
  await fanOutAll(audience, campaignId)
  while ((await findFanOut(db, campaignId))?.state !== 'fanned_out') {
    await db.updateTable('batches').set({ done_at: new Date() }).where('campaign_id', '=', campaignId).execute()
    await fanOutAll(audience, campaignId)
  }
  const batches = await db.selectFrom('batches').select(['subscription_ids', 'decided']).where('campaign_id', '=', campaignId).execute()
  expect(batches.every(({ decided }) => decided === null)).toBe(true)
  await db.deleteFrom('batches').where('campaign_id', '=', campaignId).execute()
  return batches.flatMap((batch) => batch.subscription_ids).toSorted()
}

// spec: experiments/only-the-sample, experiments/remainder
test('an experiment goes to its sample, and the winner’s follow-up to exactly the other users', async () => {
  const appId = newId()
  const crowd = await givenCrowd(db, { appId, count: 5_500 })
  const parent = givenSend(appId, { experiment })

  const sample = await sendTo(parent)
  peers.settled.set(parent.campaignId, sample)
  const rest = await sendTo(givenSend(appId, { remainder: { of: parent.campaignId, sampleRate: 0.3 } }))

  expect(Math.abs(sample.length / crowd.length - 0.3)).toBeLessThan(0.03)
  expect([...sample, ...rest].toSorted()).toEqual(crowd)
})

// spec: experiments/assignment, experiments/remainder
test('an experiment goes to all of a user’s devices or none, the winner’s follow-up to none that had it', async () => {
  const appId = newId()
  const parent = givenSend(appId, { experiment })
  const devices = []
  for (let count = 0; count < 20; count += 1) {
    const phone = await givenDevice(db, { appId })
    devices.push(phone, await givenDevice(db, { appId, userId: phone.userId, platform: 'web' }))
  }
  const inSample = devices.filter(({ userId }) => isInSample(0.3, parent.campaignId, userId)).map(({ id }) => id)

  expect(await sendTo(parent)).toEqual(inSample.toSorted())

  // One device that got a push of the experiment now belongs to a user outside the sample.
  const left = devices.filter(({ id }) => !inSample.includes(id)).map(({ id }) => id)
  peers.settled.set(parent.campaignId, [...inSample, ...left.slice(0, 1)])
  const winner = givenSend(appId, { remainder: { of: parent.campaignId, sampleRate: 0.3 } })
  expect(await sendTo(winner)).toEqual(left.slice(1).toSorted())
})
