import { newId } from '@herald/contracts/ids'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Tables } from '../../store/tables.ts'
import { startGateway } from '../../testing/start-gateway.ts'
import { startPeers } from '../../testing/start-peers.ts'
import { mostDrafts } from '../manage-drafts.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const { db } = await openDatabase<Tables>(testService('gateway', {}), { url: url('gateway'), poolSize: 2 })
const { appId } = await gateway.givenApp()
const other = await gateway.givenApp()

const path = `/apps/${appId}/drafts`
const save = (id: string, draft: unknown, revision = 0) => gateway.admin('PUT', `${path}/${id}`, { draft, revision })
const actionsOf = async (app = appId) =>
  ((await gateway.admin('GET', `/apps/${app}/audit?action=draft.`)).body['items'] as { action: string }[]).map(({ action }) => action)

// spec: administration/drafts
test('any JSON is kept as it is under the client’s id, and listed by name until it is deleted', async () => {
  const id = newId()
  const draft = { name: ' Weekend \n sale', title: 'nul \u0000, half a pair \ud83d', deep: [[null, 1.5, true]] }
  expect(await save(id, draft)).toMatchObject({ status: 200, body: { id, name: 'Weekend sale', revision: 1, savedBy: 'administrator' } })
  expect((await gateway.admin('GET', `${path}/${id}`)).body['draft']).toEqual(draft)
  const { body } = await gateway.admin('GET', `${path}?id=${id}`)
  expect(body).toMatchObject({ items: [{ id, revision: 1 }], nextCursor: null })
  expect(JSON.stringify(body)).not.toContain('half a pair')
  for (const json of [null, 'text', 7, []]) expect((await save(newId(), json)).status).toBe(200)

  expect((await gateway.admin('DELETE', `${path}/${id}`)).status).toBe(204)
  expect((await gateway.admin('GET', `${path}/${id}`)).status).toBe(404)
  expect((await gateway.admin('DELETE', `${path}/${id}`)).status).toBe(404)
})

// spec: administration/drafts, administration/audit-autosaves
test('a save over another revision is refused, a repeat changes nothing, and ten minutes’ saves are one audit line', async () => {
  const app = await gateway.givenApp()
  const id = newId()
  const put = (draft: unknown, revision: number) => gateway.admin('PUT', `/apps/${app.appId}/drafts/${id}`, { draft, revision })
  expect((await put({ title: 'One' }, 0)).body['revision']).toBe(1)
  expect((await put({ title: 'Two' }, 1)).body['revision']).toBe(2)
  // The answer was lost.
  expect(await put({ title: 'Two' }, 1)).toMatchObject({ status: 200, body: { revision: 2 } })
  for (const revision of [0, 1, 3]) {
    const refused = await put({ title: 'Mine' }, revision)
    expect([refused.status, refused.body.error?.code]).toEqual([409, 'invalid_state'])
  }
  await gateway.admin('DELETE', `/apps/${app.appId}/drafts/${id}`)
  expect(await put({ title: 'Three' }, 2)).toMatchObject({ status: 409 })
  expect(await actionsOf(app.appId)).toEqual(['draft.deleted', 'draft.changed'])
})

// spec: administration/drafts
test.each([
  ['more than 64 KiB', { draft: 'ä'.repeat(32_768) }, 'draft'],
  ['JSON that is nested 51 levels deep', { draft: JSON.parse('['.repeat(51) + '['.repeat(1) + ']'.repeat(52)) as unknown }, 'draft'],
  ['no draft', {}, 'draft'],
  ['a revision below 0', { draft: 1, revision: -1 }, 'revision'],
])('a draft with %s is refused at its path', async (_, body, at) => {
  const refused = await gateway.admin('PUT', `${path}/${newId()}`, body)
  expect([refused.status, refused.body.error?.details?.[0]?.path]).toEqual([422, at])
})

// spec: administration/drafts
test('an app has at most 200 drafts; one that nobody has saved for 90 days makes room', async () => {
  await sql`
    insert into drafts (app_id, id, draft, saved_by)
    select ${other.appId}, lpad(to_hex(n), 24, '0'), '1', 'ann' from generate_series(1, ${mostDrafts}) as n`.execute(db)
  const add = () => gateway.admin('PUT', `/apps/${other.appId}/drafts/${newId()}`, { draft: 1 })
  expect((await add()).body.error).toMatchObject({ code: 'limit_reached' })
  await sql`update drafts set updated_at = now() - interval '91 days' where id = lpad('1', 24, '0') and app_id = ${other.appId}`.execute(db)
  expect((await add()).status).toBe(200)
  expect((await add()).status).toBe(409)
  const pages = await gateway.admin('GET', `/apps/${other.appId}/drafts?limit=150`)
  const rest = await gateway.admin('GET', `/apps/${other.appId}/drafts?limit=150&cursor=${String(pages.body['nextCursor'])}`)
  expect([(pages.body['items'] as []).length, (rest.body['items'] as []).length, rest.body['nextCursor']]).toEqual([150, 50, null])
})
