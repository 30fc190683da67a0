import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@herald/contracts/ids'
import { setUpQueue } from '@herald/service/set-up-queue'
import { testNatsPassword } from '@herald/testing/nats'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { givenDevice, givenSend, openAudience } from './testing/rig.ts'

const { startProcess, config, db, peers, dispatcher } = await openAudience()
const reset = () => setUpQueue({ NATS_URL: config.NATS_URL, NATS_PASSWORD: testNatsPassword }, { reset: true })

// spec: cluster/lost-store
test('when NATS has lost what it stored, a batch that nobody has taken gets a new pointer at once', async () => {
  await startProcess()
  const appId = newId()
  await givenDevice(db, { appId })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  await peers.point(campaignId)
  const { batchId } = await until(() => dispatcher.pointers.find((pointer) => pointer.campaignId === campaignId))
  // By itself the sweep would point at the batch in an hour.
  await db
    .updateTable('batches')
    .set({ due_at: sql<Date>`now() + interval '1 hour'` })
    .where('id', '=', batchId)
    .execute()
  const before = dispatcher.pointers.length

  await reset()

  const again = await until(() => dispatcher.pointers.slice(before).find((pointer) => pointer.batchId === batchId))
  expect(again.campaignId).toBe(campaignId)
})

// spec: cluster/reset
test('when the queue is reset while sends go on, each is sent, and no batch is given out twice', async () => {
  await startProcess()
  const appId = newId()
  await givenDevice(db, { appId })
  const taken = new Map<string, number>()
  dispatcher.finishAll(({ campaignId }) => void taken.set(campaignId, (taken.get(campaignId) ?? 0) + 1))

  const campaigns = Array.from({ length: 80 }, () => peers.givenCampaign(givenSend(appId), { kind: 'all' }))
  let resetting: Promise<unknown> = Promise.resolve()
  for (const [index, campaignId] of campaigns.entries()) {
    if (index === 20 || index === 50) resetting = resetting.then(reset)
    // Campaigns points at its row again, as its sweep does, until audience has started the send.
    void until(async () => {
      if (!peers.started.includes(campaignId)) await peers.point(campaignId)
      return peers.started.includes(campaignId)
    })
    await sleep(5)
  }
  await resetting

  await until(() => campaigns.every((id) => taken.has(id)))
  expect(campaigns.filter((id) => taken.get(id) !== 1)).toEqual([])
})
