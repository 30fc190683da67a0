import { newId } from '@herald/contracts/ids'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { fanOutAll, givenCrowd, givenSend, openAudience } from '../testing/rig.ts'
import { openUnsettled, settleFanOuts } from './store/settled.ts'

const { audience, db, peers } = await openAudience()
beforeEach(() => sql`update fan_outs set settled_at = now(), due_at = null`.execute(db))

/** Makes a send to 1,200 devices whose batches were all finished so many seconds ago. */
async function givenFinished(secondsAgo: number): Promise<string> {
  const appId = newId()
  await givenCrowd(db, { appId, count: 1_200 })
  const campaignId = peers.givenCampaign(givenSend(appId), { kind: 'all' })
  await fanOutAll(audience, campaignId)
  await finish(campaignId, secondsAgo)
  return campaignId
}
const finish = (campaignId: string, secondsAgo: number) =>
  sql`update batches set takes = takes + 1, lease_until = null, due_at = null, done_at = now() - make_interval(secs => ${secondsAgo}) where campaign_id = ${campaignId}`.execute(
    db,
  )
const batchesOf = (campaignId: string) => db.selectFrom('batches').selectAll().where('campaign_id', '=', campaignId).execute()

// spec: running/lost-rows
test('the batches of a send not settled 20 s after their finish are due again, once, as new takes', async () => {
  const campaignId = await givenFinished(21)
  const made = await batchesOf(campaignId)
  expect(made.length).toBeGreaterThan(2)

  expect(await openUnsettled(db, '')).toEqual({ opened: [{ campaignId, batches: made.length }], last: undefined })

  for (const batch of await batchesOf(campaignId)) {
    expect(batch).toMatchObject({ done_at: null, lease_until: null, not_before: null })
    expect(Number(batch.due_at)).toBeLessThanOrEqual(Date.now() + 1_000)
    expect(batch.takes).toBeGreaterThan(1_000)
  }
  await finish(campaignId, 21)
  expect(await openUnsettled(db, '')).toEqual({ opened: [], last: undefined })
})

test('a send is left alone while a batch is open or just finished, before everybody was told, and when settled', async () => {
  const open = await givenFinished(21)
  await sql`update batches set done_at = null where id = (select max(id) from batches where campaign_id = ${open})`.execute(db)
  const lately = await givenFinished(5)
  const untold = await givenFinished(21)
  await sql`update fan_outs set due_at = now() where campaign_id = ${untold}`.execute(db)
  const settled = await givenFinished(21)
  await settleFanOuts(db, [settled])

  expect(await openUnsettled(db, '')).toEqual({ opened: [], last: undefined })
  expect((await batchesOf(lately)).every(({ done_at }) => done_at !== null)).toBe(true)
})
