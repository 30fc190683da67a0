import { eraseAudienceOfApp } from '@herald/contracts/calls/audience'
import { eraseCampaignsOfApp } from '@herald/contracts/calls/campaigns'
import { apnsToken } from '@herald/contracts/calls/gateway'
import { eraseTrackerOfApp } from '@herald/contracts/calls/tracker'
import { eraseWebhooksOfApp } from '@herald/contracts/calls/webhooks'
import { databaseUnavailable } from '@herald/contracts/fault'
import { openBus } from '@herald/service/bus'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { generateKeyPairSync } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import type { Tables } from '../store/tables.ts'
import { startGateway } from '../testing/start-gateway.ts'
import { startPeers } from '../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
await startGateway({ database: url('gateway'), nats })
const dispatcher = await openBus(testService('dispatcher', { NATS_URL: nats }))
const { db } = await openDatabase<Tables>(testService('gateway', {}), { url: url('gateway'), poolSize: 2 })
afterEach(() => peers.answers.clear())

const calls = [eraseCampaignsOfApp, eraseAudienceOfApp, eraseTrackerOfApp, eraseWebhooksOfApp]
const subjects = new Set<string>(calls.map(({ subject }) => subject))
const askedOf = (appId: string) =>
  peers.asked
    .filter(({ subject, request }) => subjects.has(subject) && (request as { appId: string }).appId === appId)
    .map(({ subject }) => subject)
async function rowsOf(appId: string) {
  const { rows } = await sql<Record<string, number>>`
    select (select count(*) from apps where id = ${appId}) as apps,
      (select count(*) from api_keys where app_id = ${appId}) as keys,
      (select count(*) from providers where app_id = ${appId}) as providers,
      (select count(*) from app_erasures where app_id = ${appId}) as erasures`.execute(db)
  return rows[0]
}
const isGone = async (appId: string) => JSON.stringify(await rowsOf(appId)) === '{"apps":0,"keys":0,"providers":0,"erasures":0}'
const tokensOf = async (teamId: string) =>
  (await db.selectFrom('apns_tokens').select('key_id').where('team_id', '=', teamId).execute()).length
const p8 = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const apns = (teamId: string) => ({ teamId, keyId: 'KEY0000001', privateKey: p8, bundleId: 'org.example.shop', environment: 'production' })

async function givenFullApp(teamId: string) {
  const { appId } = await gateway.givenApp()
  await gateway.admin('PUT', `/apps/${appId}/providers/apns`, apns(teamId))
  await gateway.admin('POST', `/apps/${appId}/identity-secret`)
  await dispatcher.call(apnsToken, { appId, refused: null })
  return appId
}

// spec: administration/delete-app, administration/audit
test('a deleted app is erased in campaigns first, then the other services, then the gateway; its audit stays', async () => {
  const appId = await givenFullApp('TEAMERASE1')
  const parts = new Map<string, number>()
  for (const { subject } of calls) {
    peers.answers.set(subject, () => {
      const part = (parts.get(subject) ?? 0) + 1
      parts.set(subject, part)
      return { done: part === 3 }
    })
  }
  expect(await rowsOf(appId)).toEqual({ apps: 1, keys: 2, providers: 1, erasures: 0 })

  expect((await gateway.admin('DELETE', `/apps/${appId}`)).status).toBe(204)
  expect((await gateway.admin('DELETE', `/apps/${appId}`)).status).toBe(404)
  await until(() => isGone(appId))

  const asked = askedOf(appId)
  expect(asked.slice(0, 3)).toEqual(Array(3).fill(eraseCampaignsOfApp.subject))
  for (const { subject } of calls) expect([subject, asked.filter((one) => one === subject).length]).toEqual([subject, 3])
  const { rows } = await sql<{ action: string }>`select action from audit where app_id = ${appId} order by created_at desc limit 1`.execute(
    db,
  )
  expect(rows).toEqual([{ action: 'app.deleted' }])
  expect(await tokensOf('TEAMERASE1')).toBe(0)
})

test('the APNs token of a deleted app stays when another app has the same team and key', async () => {
  const [one] = [await givenFullApp('TEAMERASE2'), await givenFullApp('TEAMERASE2')]
  await gateway.admin('DELETE', `/apps/${one}`)
  await until(() => isGone(one))
  expect(await tokensOf('TEAMERASE2')).toBe(1)
})

test('while the tracker’s database is away the gateway keeps a deleted app’s rows, until the tracker has erased its part', async () => {
  const appId = await givenFullApp('TEAMERASE3')
  peers.answers.set(eraseTrackerOfApp.subject, () => {
    throw databaseUnavailable()
  })
  await gateway.admin('DELETE', `/apps/${appId}`)
  await until(async () => (await rowsOf(appId))?.['erasures'] === 1 && askedOf(appId).includes(eraseTrackerOfApp.subject))
  expect(await rowsOf(appId)).toMatchObject({ apps: 1, keys: 2, providers: 1 })

  peers.answers.clear()
  await sql`update app_erasures set due_at = now() where app_id = ${appId}`.execute(db)
  await until(() => isGone(appId))
})
