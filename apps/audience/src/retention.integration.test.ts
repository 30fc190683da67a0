import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { transact } from '@herald/service/postgres'
import { deleteSubscription } from './people/delete-subscription.ts'
import { purgeGoneNotes } from './store/last-notified.ts'
import { givenNotified } from './testing/play-ledger.ts'
import { givenDevice, openAudience } from './testing/rig.ts'

const { db, startProcess } = await openAudience()

const notesOf = (id: string) => db.selectFrom('last_notified').selectAll().where('subscription_id', '=', id).execute()

test('when a device is deleted while its batch is finished, the note that it was sent to is deleted too', async () => {
  const appId = newId()
  const device = await givenDevice(db, { appId })
  // The finish has written the note and is not committed yet, so the deletion of the device does not see the note.
  await transact(db, async (finishing) => {
    await givenNotified(finishing, [device.id])
    await deleteSubscription({ db }, { appId, subscriptionId: device.id })
  })
  expect(await notesOf(device.id)).toHaveLength(1)
  expect(await purgeGoneNotes(db)).toBe(false)
  expect(await notesOf(device.id)).toHaveLength(1)

  await sql`update gone_devices set due_at = now() where subscription_id = ${device.id}`.execute(db)
  await purgeGoneNotes(db)

  expect(await notesOf(device.id)).toEqual([])
  expect(await db.selectFrom('gone_devices').selectAll().execute()).toEqual([])
})

// spec: running/retention
test('all fan-outs older than their retention are deleted without a pause, however many, and the others stay', async () => {
  await sql`
    insert into fan_outs (campaign_id, app_id, bound_id, due_at, settled_at)
    select lpad(n::text, 24, '0'), ${newId()}, '', null, now() - interval '1 day' * case when n = 1 then 6 else 8 end
    from generate_series(1, 23000) as n`.execute(db)
  const left = async () => (await sql<{ n: number }>`select count(*) as n from fan_outs`.execute(db)).rows[0]?.n

  await startProcess()

  // There are more rows than one statement deletes, and a process purges once a minute. So the process must go on at once while there are
  // more rows.
  await until(async () => (await left()) === 1, { withinMs: 40_000, what: 'the end of the purge' })
  expect(await left()).toBe(1)
})
