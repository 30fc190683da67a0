import { makeApiKey } from '@herald/auth/api-key'
import { defaultSettings } from '@herald/contracts/app'
import { newId } from '@herald/contracts/ids'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openApiKeys } from '../authenticate.ts'
import { writeKeyUses } from '../keep-house.ts'
import { openKeyUses } from './key-uses.ts'
import { insertApiKey } from './store/api-keys.ts'
import { insertApp } from './store/apps.ts'
import type { Tables } from '../store/tables.ts'
import { startGateway } from '../testing/start-gateway.ts'
import { startPeers } from '../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
await startPeers(nats)
const { db } = await openDatabase<Tables>(testService('gateway', {}), { url: url('gateway'), poolSize: 2 })
const appId = newId()
await insertApp(db, { id: appId, name: 'Shop', settings: defaultSettings })

async function givenKey() {
  const { key, hash, hint } = makeApiKey('secret', appId)
  const { id } = await insertApiKey(db, { id: newId(), appId, kind: 'secret', name: 'backend', scopes: [], hash, hint, publicText: null })
  return { id, key }
}
/** `version` changes with every write of the row. */
const rowOf = async (id: string) =>
  (
    await sql<{
      last_used_at: Date | null
      version: string
    }>`select last_used_at, xmin::text as version from api_keys where id = ${id}`.execute(db)
  ).rows[0]
/** Gives the beginning of the hour that was `ago` hours ago, by the database's clock. */
const hour = async (ago = 0) =>
  (await sql<{ at: Date }>`select date_trunc('hour', now() - make_interval(hours => ${ago}), 'UTC') as at`.execute(db)).rows[0]?.at

// spec: administration/key-uses
test('the list of keys shows the hour in which each key was last used, and nothing for an unused key', async () => {
  const gateway = await startGateway({ database: url('gateway'), nats })
  const app = await gateway.givenApp()
  const before = await hour()
  await gateway.ask({ path: '/v1/segments', headers: { authorization: `Bearer ${app.secretKey}` } })
  await gateway.stop()

  const other = await startGateway({ database: url('gateway'), nats })
  const { body } = await other.admin('GET', `/apps/${app.appId}/keys`)
  const items = body['items'] as { id: string; lastUsedAt: string | null }[]
  const uses = new Map(items.map(({ id, lastUsedAt }) => [id, lastUsedAt]))
  expect([before?.toISOString(), (await hour())?.toISOString()]).toContain(uses.get(app.secretKeyId))
  expect(uses.get(app.publicKeyId)).toBeNull()
})

test('a thousand requests within an hour write a key’s use once, and no request does so itself', async () => {
  const uses = openKeyUses()
  const keys = openApiKeys({ db, uses: uses }, 60)
  const { id, key } = await givenKey()
  for (let request = 0; request < 1_000; request += 1) expect((await keys.verify(key))?.keyId).toBe(id)
  expect((await rowOf(id))?.last_used_at).toBeNull()

  expect(await uses.write(db)).toBe(1)
  const written = await rowOf(id)
  for (let request = 0; request < 1_000; request += 1) await keys.verify(key)
  expect(await uses.write(db)).toBe(0)
  expect(await rowOf(id)).toEqual(written)
})

test('when two gateways note a key’s use in one hour it is written once, and an older replaces no newer', async () => {
  const clock = { ms: 10 * 3_600_000, steady: 10 * 3_600_000 }
  const given = { now: () => clock.ms, steadyMs: () => clock.steady }
  const [one, other] = [openKeyUses(given), openKeyUses(given)]
  const { id } = await givenKey()
  one.note({ keyId: id })
  other.note({ keyId: id })
  await one.write(db)
  const written = await rowOf(id)
  await other.write(db)
  expect(await rowOf(id)).toEqual(written)

  const late = openKeyUses(given)
  late.note({ keyId: id })
  // This use could not be written for three hours.
  clock.steady += 3 * 3_600_000
  await late.write(db)
  expect(await rowOf(id)).toEqual(written)
})

test('the hour in which a key was used is stored, even when the use is written hours later', async () => {
  const clock = { steady: 10 * 3_600_000 }
  const uses = openKeyUses({ now: Date.now, steadyMs: () => clock.steady })
  const { id } = await givenKey()
  uses.note({ keyId: id })
  clock.steady += 2 * 3_600_000
  const before = await hour(2)
  await uses.write(db)
  expect([before, await hour(2)]).toContainEqual((await rowOf(id))?.last_used_at)
})

test('a key’s noted hour stays within it, and becomes the next once the key is used then', () => {
  const clock = { ms: 0 }
  const uses = openKeyUses({ now: () => clock.ms, steadyMs: () => clock.ms })
  const key = { keyId: newId(), notedHour: undefined as unknown as number }
  uses.note(key)
  const first = key.notedHour
  clock.ms = 3_599_999
  uses.note(key)
  expect(key.notedHour).toBe(first)
  clock.ms = 3_600_000
  uses.note(key)
  expect(key.notedHour).toBe(first + 1)
})

test('a key’s use that cannot be written now is written later, even beside one that no longer exists', async () => {
  const uses = openKeyUses()
  const { id } = await givenKey()
  uses.note({ keyId: id })
  uses.note({ keyId: newId() })
  const failing = db.transaction().execute(async (trx) => {
    await sql`select 1 / 0`.execute(trx).catch(() => undefined)
    await uses.write(trx)
  })
  await expect(failing).rejects.toThrow('transaction is aborted')
  expect((await rowOf(id))?.last_used_at).toBeNull()

  const sweep = writeKeyUses({ db, uses }, 0)
  expect(await sweep()).toEqual({ took: 0 })
  expect((await rowOf(id))?.last_used_at).toBeInstanceOf(Date)
})
