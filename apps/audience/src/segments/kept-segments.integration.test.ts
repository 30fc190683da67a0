import { createSegment } from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openAudience } from '../testing/rig.ts'

const { db, bus, startProcess } = await openAudience()
await startProcess()

// spec: limits/kept-things
test('an app has at most 1,000 saved segments, also when several are saved at the same moment', async () => {
  const appId = newId()
  const definition = { field: 'country', op: 'eq', value: 'DE' }
  await sql`insert into segments (id, app_id, name, folded_name, definition)
    select encode(substr(sha256(convert_to(${appId} || n, 'UTF8')), 1, 12), 'hex'), ${appId}, 's' || n, 's' || n, ${JSON.stringify(definition)}::json
    from generate_series(1, 998) as n`.execute(db)

  const answers = await Promise.allSettled(
    Array.from({ length: 6 }, (_, place) => bus.call(createSegment, { appId, segment: { name: `new ${place}`, definition } })),
  )

  const codes = answers.map((one) => (one.status === 'fulfilled' ? 'saved' : String(one.reason.code)))
  expect(codes.toSorted()).toEqual([...Array.from({ length: 4 }, () => 'limit_reached'), 'saved', 'saved'])
})
