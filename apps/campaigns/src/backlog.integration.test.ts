import { newId } from '@herald/contracts/ids'
import { settingsForKeptPlans } from '@herald/service/kept-plans'
import { settingsForWork } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { testService } from '@herald/testing/service'
import { farLooks, fixStatistics, openPlans } from '@herald/testing/plans'
import { afterAll, expect, test } from 'vitest'
import { insertCampaigns } from './store/new-campaigns.ts'
import type { Tables } from './store/tables.ts'
import { takeDue } from './take-due.ts'
import { runRecurrences } from './run-recurrences.ts'
import { givenStored } from './testing/given-campaigns.ts'

const database = await freshDatabase()
const plans = await openPlans<Tables>(database.ownerUrl, 'campaigns', `${settingsForWork} ${settingsForKeptPlans}`)
afterAll(() => plans.close())

test('while almost 5,000 sends of an app wait, a sweep takes 32, and no query reads over 100 rows', async () => {
  const { db } = plans
  const appId = newId()
  const accept = (count: number) =>
    insertCampaigns(
      db,
      Array.from({ length: count }, () => ({ ...givenStored(), appId })),
    )
  const { log } = testService('campaigns', {})
  const measures = { startedLate: () => undefined, missedOccurrences: () => undefined }
  const bus = { call: async () => ({}) as never, publish: async () => undefined }
  // The planner knows the table as it was with a few sends.
  await accept(100)
  await fixStatistics(db, 'campaigns')
  for (let accepted = 100; accepted < 5_000; accepted += 100) await accept(100)
  // 32 of the 64 sends that audience was told of have started, so a sweep takes 32 others.
  await db
    .updateTable('campaigns')
    .set({ due_at: null, started_at: new Date() })
    .where('id', 'in', (started) => started.selectFrom('campaigns').select('id').orderBy('due_at', 'desc').limit(32))
    .execute()

  let took = 0
  const scans = await plans.of(async () => {
    ;({ took } = await takeDue({ db, bus, handOver: () => undefined, measures, log }))
    await runRecurrences({ db, measures, pointAt: () => undefined, catchUpSeconds: 60, log })
  })

  expect(took).toBe(32)
  expect(farLooks(scans, { mostRows: 100 })).toEqual([])
})
