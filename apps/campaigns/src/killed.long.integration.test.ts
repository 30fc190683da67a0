import { newId } from '@herald/contracts/ids'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { insertCampaigns } from './store/new-campaigns.ts'
import type { Tables } from './store/tables.ts'
import { givenAudience, givenStored } from './testing/given-campaigns.ts'
import { startProcess } from './testing/start-process.ts'

// spec: campaigns/at-late
test('250 due campaigns start and 250 recurrences run once, although two of five processes are killed', { timeout: 120_000 }, async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  const databaseUrl = database.url('campaigns')
  const { db } = await openDatabase<Tables>(testService('campaigns', {}), { url: databaseUrl, poolSize: 4 })
  const audience = await givenAudience(natsUrl, new Map(), { takesOver: true })
  const environment = { NATS_URL: natsUrl, DATABASE_URL_CAMPAIGNS: databaseUrl }
  const processes = await Promise.all(Array.from({ length: 5 }, () => startProcess(environment)))

  // A recurrence is due at a full minute, so all schedules are due at the beginning of this minute.
  const dueAt = new Date(Math.floor(Date.now() / 60_000) * 60_000)
  const stored = Array.from({ length: 500 }, () => ({ ...givenStored(newId()), transactional: false, status: 'draft' as const }))
  await insertCampaigns(db, stored)
  const [once, parents] = [stored.slice(0, 250).map(({ id }) => id), stored.slice(250).map(({ id }) => id)]
  const localTime = dueAt.toISOString().slice(11, 16)
  // The rows are written without the API, which accepts no schedule that began two days ago.
  await sql`
    update campaigns set due_at = ${dueAt}, activated_at = now() - interval '2 days',
      status = case when id = any(${parents}) then 'active' else 'scheduled' end,
      schedule = jsonb_build_object('type', 'recurring', 'every', 'day', 'localTime', ${localTime}::text, 'timezone', 'UTC')
    where id = any(${[...once, ...parents]})`.execute(db)

  for (const [index, heard] of [
    [0, 1],
    [1, 100],
  ] as const) {
    await until(() => audience.rows.size >= heard, { what: `${heard} starts`, withinMs: 30_000 })
    await processes[index]?.kill()
  }
  await until(() => audience.rows.size >= 500, { what: '500 starts', withinMs: 60_000 })

  const runs = await db.selectFrom('campaigns').select(['id', 'recurring_of', 'status']).where('recurring_of', 'in', parents).execute()
  expect(runs).toHaveLength(250)
  expect(new Set(runs.map(({ recurring_of }) => recurring_of)).size).toBe(250)
  expect([...audience.rows.keys()].toSorted()).toEqual([...once, ...runs.map(({ id }) => id)].toSorted())
  const starts = await db.selectFrom('campaigns').select('status').where('id', 'in', once).execute()
  expect(starts.filter(({ status }) => status === 'sending')).toHaveLength(250)
  const left = await db.selectFrom('campaigns').select('missed_count').where('id', 'in', parents).execute()
  expect(left.filter(({ missed_count }) => missed_count > 0)).toEqual([])
})
