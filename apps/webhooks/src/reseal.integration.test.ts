import { randomBytes } from 'node:crypto'
import { openSealer } from '@herald/auth/seal'
import { newId } from '@herald/contracts/ids'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { testService } from '@herald/testing/service'
import { expect, test } from 'vitest'
import { Config } from './config.ts'
import { secretContext } from './secrets.ts'
import { reseal } from './reseal.ts'
import { insertEndpoint } from './store/endpoints.ts'
import type { Tables } from './store/tables.ts'

const { url } = await freshDatabase()
const { db } = await openDatabase<Tables>(testService('webhooks', {}), { url: url('webhooks'), poolSize: 3 })
const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
// Texts that `a-lost` sealed come before all others, so they fill the first page.
const [first, second, lost] = [key('first'), key('second'), key('a-lost')]

async function givenEndpoint(sealKeys: string) {
  const [id, appId] = [newId(), newId()]
  const sealedSecret = openSealer(sealKeys).seal(`secret of ${id}`, secretContext(appId, id))
  const shown = { url: 'https://receiver.example/', eventTypes: ['*' as const], description: null }
  await insertEndpoint(db, { id, appId, sealedSecret, secretHint: 'hint', ...shown })
  return { id, appId }
}
const rowOf = (id: string) => db.selectFrom('endpoints').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

// spec: administration/seal-keys
test('every secret of an earlier key is sealed anew once with the first; unopenable ones stay and are counted', async () => {
  const endpoints = []
  for (const _ of Array(250)) endpoints.push(await givenEndpoint(first))
  const foreign = await givenEndpoint(lost)
  for (const _ of Array(210)) await givenEndpoint(lost)
  const [{ id, appId } = { id: '', appId: '' }] = endpoints
  const [before, foreignBefore] = [await rowOf(id), await rowOf(foreign.id)]

  const sealer = openSealer(`${second},${first}`)
  const twice = await Promise.all([reseal({ db, sealer }), reseal({ db, sealer })])
  expect(twice.reduce((sum, { resealed }) => sum + resealed, 0)).toBe(250)
  expect(await reseal({ db, sealer })).toEqual({ resealed: 0, left: 211 })

  const after = await rowOf(id)
  expect(after).toEqual({ ...before, sealed_secret: after.sealed_secret })
  expect(openSealer(second).open(after.sealed_secret, secretContext(appId, id)).toString()).toBe(`secret of ${id}`)
  expect(await rowOf(foreign.id)).toEqual(foreignBefore)
})

test('an error about a malformed SEAL_KEYS names the setting and does not show its value', () => {
  const secret = randomBytes(16).toString('base64')
  const settings = { DATABASE_URL_WEBHOOKS: 'postgres://herald@127.0.0.1/herald', SEAL_KEYS: `k1:${secret}` }
  const problems = Config.safeParse(settings).error?.issues.map(({ path, message }) => ({ path, message }))
  expect(problems).toEqual([{ path: ['SEAL_KEYS'], message: 'entry 1 of SEAL_KEYS must be <id>:<base64 of 32 bytes>' }])
})
