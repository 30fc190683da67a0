import { listOpenCircuits } from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openAudience } from '../testing/rig.ts'

const { bus, db, startProcess } = await openAudience()

// spec: administration/system
test('an operator gets at most a hundred open circuits of all apps, newest first, and their whole number', async () => {
  await startProcess()
  expect(await bus.call(listOpenCircuits, {})).toEqual({ circuits: [], count: 0 })

  const apps = Array.from({ length: 130 }, () => newId())
  await sql`
    insert into circuits (app_id, platform, environment, state, code, since, probe_at)
    select app_id, 'ios', 'production', case when place <= 120 then 'open' else 'closed' end, 'credentials_invalid',
      timestamptz '2026-01-31T08:00:00Z' + make_interval(secs => place::int), '2026-01-31T09:00:00Z'
    from unnest(${apps}::text[]) with ordinality as given(app_id, place)`.execute(db)

  const { circuits, count } = await bus.call(listOpenCircuits, {})
  expect(count).toBe(120)
  expect(circuits.map(({ appId }) => appId)).toEqual(apps.slice(20, 120).toReversed())
  expect(circuits[0]).toEqual({
    appId: apps[119],
    platform: 'ios',
    environment: 'production',
    code: 'credentials_invalid',
    since: '2026-01-31T08:02:00.000Z',
    probeAt: '2026-01-31T09:00:00.000Z',
  })
})
