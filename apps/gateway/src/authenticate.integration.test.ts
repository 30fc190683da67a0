import { makeApiKey } from '@herald/auth/api-key'
import { defaultSettings } from '@herald/contracts/app'
import { newId } from '@herald/contracts/ids'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openApiKeys } from './authenticate.ts'
import { deleteApiKey, insertApiKey } from './apps/store/api-keys.ts'
import { insertApp } from './apps/store/apps.ts'
import type { Tables } from './store/tables.ts'

const { url } = await freshDatabase()
const { db } = await openDatabase<Tables>(testService('gateway', {}), { url: url('gateway'), poolSize: 8 })
const { id: appId } = await insertApp(db, { id: newId(), name: 'Shop', settings: defaultSettings })

const givenKey = async () => {
  const { key, hash, hint } = makeApiKey('secret', appId)
  const { id } = await insertApiKey(db, {
    id: newId(),
    appId,
    kind: 'secret',
    name: 'backend',
    scopes: ['users:read'],
    hash,
    hint,
    publicText: null,
  })
  return { key, id }
}
const lookUpsWaiting = async () => {
  const { rows } = await sql<{ waiting: number }>`
    select count(*) as waiting from pg_stat_activity where wait_event_type = 'Lock' and query like '%api_keys%' and datname = current_database()`.execute(
    db,
  )
  return rows[0]?.waiting ?? 0
}
/** Does not note uses of keys: key-uses.integration.test.ts tests that. */
const unnoted = { note: () => undefined }
/** Keeps every look-up of an API key waiting until the work is done. */
const whileLocked = <T>(work: () => Promise<T>): Promise<T> =>
  db.transaction().execute(async (trx) => {
    await sql`lock table api_keys in access exclusive mode`.execute(trx)
    return work()
  })

test('a hundred requests at once with a new API key cost the database one look-up', async () => {
  const keys = openApiKeys({ db, uses: unnoted }, 60)
  const { key, id } = await givenKey()

  const answers = await whileLocked(async () => {
    const asked = Promise.all(Array.from({ length: 100 }, () => keys.verify(key)))
    await until(async () => (await lookUpsWaiting()) >= 1)
    return { asked, waiting: await lookUpsWaiting() }
  })

  expect(answers.waiting).toBe(1)
  expect(new Set((await answers.asked).map((verified) => verified?.keyId))).toEqual(new Set([id]))
})

test('an API key that is revoked while it is being looked up is refused from then on', async () => {
  const keys = openApiKeys({ db, uses: unnoted }, 60)
  const { key, id } = await givenKey()

  const early = await whileLocked(async () => {
    const asked = keys.verify(key)
    await until(async () => (await lookUpsWaiting()) === 1)
    keys.forgetKey(id)
    return { asked }
  })
  expect((await early.asked)?.keyId).toBe(id)

  await deleteApiKey(db, appId, id)
  expect(await keys.verify(key)).toBeUndefined()
})

test('a verified API key is not looked up again within its time to live, unless its app changes', async () => {
  const [remembering, forgetful] = [openApiKeys({ db, uses: unnoted }, 60), openApiKeys({ db, uses: unnoted }, 0)]
  const { key, id } = await givenKey()
  expect([(await remembering.verify(key))?.keyId, (await forgetful.verify(key))?.keyId]).toEqual([id, id])

  await deleteApiKey(db, appId, id)

  expect([(await remembering.verify(key))?.keyId, await forgetful.verify(key)]).toEqual([id, undefined])
  remembering.forgetApp(newId())
  expect((await remembering.verify(key))?.keyId).toBe(id)
  remembering.forgetApp(appId)
  expect(await remembering.verify(key)).toBeUndefined()
})
