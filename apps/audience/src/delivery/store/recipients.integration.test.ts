import type { FrozenSend } from '@herald/contracts/batch'
import { newId } from '@herald/contracts/ids'
import { looksOf } from '@herald/testing/plans'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { namesOfSend } from '../core/names-of-send.ts'
import { withBatches } from '../../testing/batches.ts'
import { givenCrowd, givenSend, openAudience } from '../../testing/rig.ts'
import { readRecipients } from './recipients.ts'
import type { Tables } from '../../store/tables.ts'

const rig = await openAudience()
const { db } = rig
const { givenBatches } = withBatches(rig)

const saying = (title: string) => ({ _default: 'en', en: { title, body: 'B' } })
const plain = saying('Hello')
const personal = saying('Hello {{ user.externalId }} {{ tags.plan }} {{ subscription.appVersion }}')

/**
 * Counts the database pages that are read for each push (`perPush`) to get the devices of an app's batches. `scanned`: which of the tables
 * of devices and users were read without an index.
 */
async function lookedAt(appId: string, content: FrozenSend['content']) {
  const names = namesOfSend({ content })
  const batchIds = await givenBatches(appId, givenSend(appId, { content }))
  let pushes = 0
  const looks = await looksOf<Tables>(rig.config.DATABASE_URL_AUDIENCE, async (fresh) => {
    const read = await readRecipients(
      fresh,
      batchIds.map((batchId) => ({ batchId, platform: 'ios', from: 0, names })),
    )
    pushes = read.reduce((sum, queued) => sum + (queued?.facts.length ?? 0), 0)
  })
  return {
    pushes,
    perPush: looks.reduce((sum, { pages }) => sum + pages, 0) / Math.max(1, pushes),
    scanned: looks.flatMap((look) => look.scanned).filter((table) => table === 'subscriptions' || table === 'users'),
  }
}

test('the devices and users of a batch are found by keys, in small and in large tables without planner statistics', async () => {
  await sql`alter table subscriptions set (autovacuum_enabled = false); alter table users set (autovacuum_enabled = false)`.execute(db)
  // The planner's statistics are those of empty tables, as on the first day of an installation.
  await sql`analyze users, subscriptions`.execute(db)
  const few = newId()
  await givenCrowd(db, { appId: few, count: 3 })
  expect(await lookedAt(few, plain)).toMatchObject({ pushes: 3, scanned: [] })

  for (const content of [plain, personal]) {
    const many = newId()
    await givenCrowd(db, { appId: many, count: 15_000 })
    const { pushes, perPush, scanned } = await lookedAt(many, content)
    expect(pushes).toBeGreaterThan(4_000)
    expect(scanned).toEqual([])
    expect(perPush).toBeLessThan(12)
  }
  expect(await lookedAt(few, personal)).toMatchObject({ pushes: 3, scanned: [] })
})

test('for a send whose texts name no field of a user, audience reads fewer database pages', async () => {
  const appId = newId()
  await givenCrowd(db, { appId, count: 500 })
  const [without, withUsers] = [await lookedAt(appId, plain), await lookedAt(appId, personal)]
  expect(without.perPush).toBeLessThan(withUsers.perPush * 0.7)
})
