import { generateKeyPairSync } from 'node:crypto'
import { checkProvider } from '@herald/contracts/calls/dispatcher'
import { apnsToken, readCredentials } from '@herald/contracts/calls/gateway'
import { queueUnavailable } from '@herald/contracts/fault'
import { openBus } from '@herald/service/bus'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { deleteUnnamedApnsTokens } from './store/apns-tokens.ts'
import type { Tables } from '../store/tables.ts'
import { startGateway } from '../testing/start-gateway.ts'
import { startPeers } from '../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const dispatcher = await openBus(testService('dispatcher', { NATS_URL: nats }))
const { db } = await openDatabase<Tables>(testService('gateway', {}), { url: url('gateway'), poolSize: 2 })
afterEach(() => peers.answers.clear())

const p8 = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const apns = (keyId: string) => ({ teamId: 'TEAM000001', keyId, privateKey: p8(), bundleId: 'org.example.shop', environment: 'production' })
async function givenApns(keyId = 'KEY0000001') {
  const { appId } = await gateway.givenApp()
  const put = (body: object, query = '') => gateway.admin('PUT', `/apps/${appId}/providers/apns${query}`, body)
  await put(apns(keyId))
  return {
    appId,
    put,
    rollBack: () => gateway.admin('POST', `/apps/${appId}/providers/apns/rollback`),
    inUse: async () => {
      const { body } = await gateway.admin('GET', `/apps/${appId}/providers/apns`)
      return [body['keyId'], (body['former'] as { keyId: string } | null)?.keyId ?? null]
    },
    actions: async () =>
      ((await gateway.admin('GET', `/apps/${appId}/audit?action=provider.`)).body['items'] as { action: string; subject: object }[]).map(
        ({ action, subject }) => [action, subject],
      ),
  }
}
const kept = () => db.selectFrom('kept_credentials').select(['state', 'kind']).execute()
const refused = { ok: false, code: 'credentials_invalid', providerCode: '403 InvalidProviderToken' } as const

// spec: administration/credentials-checked
test('an app’s first credentials are set unchecked; later ones are checked with their own key before they replace any', async () => {
  const { appId, put, inUse, actions } = await givenApns()
  expect(peers.asked.filter(({ subject }) => subject === checkProvider.subject)).toEqual([])

  const next = apns('KEY0000002')
  let seen: unknown
  peers.answers.set(checkProvider.subject, async (asked) => {
    const { candidateId } = asked as { candidateId: string }
    // What a dispatcher asks for when it checks the candidate, while the former credentials are still in use.
    const { credentials } = await dispatcher.call(readCredentials, { appId, kind: 'apns', candidateId })
    const token = await dispatcher.call(apnsToken, { appId, refused: null, candidateId })
    const header = JSON.parse(Buffer.from(token?.token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }
    seen = { credentials, kid: header.kid, inUse: await inUse() }
    return { ok: true, code: null, providerCode: null }
  })
  expect(await put(next)).toMatchObject({ status: 200, body: { keyId: 'KEY0000002' } })
  expect(seen).toMatchObject({
    credentials: { kind: 'apns', keyId: 'KEY0000002', candidateId: expect.any(String) as string },
    kid: 'KEY0000002',
    inUse: ['KEY0000001', null],
  })
  expect(await inUse()).toEqual(['KEY0000002', 'KEY0000001'])
  expect((await actions()).map(([action]) => action)).toEqual(['provider.set', 'provider.set'])
  expect(await dispatcher.call(readCredentials, { appId, kind: 'apns' })).toMatchObject({ credentials: { keyId: 'KEY0000002' } })
  expect((await kept()).filter(({ state }) => state === 'candidate')).toEqual([])
})

// spec: administration/credentials-checked
test('refused credentials replace nothing: the answer says why and what to do, and no key or token stays', async () => {
  const { put, inUse, actions, appId } = await givenApns()
  const next = apns('KEY0000009')
  peers.answers.set(checkProvider.subject, async (asked) => {
    await dispatcher.call(apnsToken, { appId, refused: null, candidateId: (asked as { candidateId: string }).candidateId })
    return refused
  })
  const told = await put(next)
  expect([told.status, told.body.error?.details?.[0]?.path]).toEqual([422, ''])
  expect(told.body.error?.message).toMatch(/403 InvalidProviderToken.*team id/)
  expect(told.text).not.toContain(next.privateKey.split('\n')[1])

  for (const code of ['provider_unavailable', 'timeout'] as const) {
    peers.answers.set(checkProvider.subject, () => ({ ok: false, code, providerCode: null }))
    expect((await put(next)).body.error?.code).toBe('invalid_state')
  }
  peers.answers.set(checkProvider.subject, () => {
    throw queueUnavailable()
  })
  expect((await put(next)).status).toBe(503)

  expect(await inUse()).toEqual(['KEY0000001', null])
  expect((await actions()).map(([action]) => action)).toEqual(['provider.set'])
  expect((await kept()).filter(({ state }) => state === 'candidate')).toEqual([])
  await sql`update apns_tokens set minted_at = now() - interval '61 minutes'`.execute(db)
  await deleteUnnamedApnsTokens(db)
  expect(await db.selectFrom('apns_tokens').select('key_id').where('key_id', '=', 'KEY0000009').execute()).toEqual([])
})

// spec: administration/credentials-checked, administration/credentials-rollback
test('unchecked credentials are set without asking; a rollback brings back the former, which open, and keeps the others', async () => {
  const { appId, put, inUse, rollBack, actions } = await givenApns()
  expect((await rollBack()).status).toBe(409)
  peers.answers.set(checkProvider.subject, () => refused)
  expect((await put(apns('KEY0000002'), '?unchecked=true')).status).toBe(200)
  expect(await inUse()).toEqual(['KEY0000002', 'KEY0000001'])

  expect(await rollBack()).toMatchObject({ status: 200, body: { keyId: 'KEY0000001' } })
  expect(await inUse()).toEqual(['KEY0000001', 'KEY0000002'])
  const token = await dispatcher.call(apnsToken, { appId, refused: null })
  expect(Buffer.from(token?.token.split('.')[0] ?? '', 'base64url').toString()).toContain('KEY0000001')
  await rollBack()
  expect(await inUse()).toEqual(['KEY0000002', 'KEY0000001'])
  const subject = (keyId: string) => ({ kind: 'apns', teamId: 'TEAM000001', keyId, bundleId: 'org.example.shop' })
  expect(await actions()).toEqual([
    ['provider.rolled-back', subject('KEY0000002')],
    ['provider.rolled-back', subject('KEY0000001')],
    ['provider.set', subject('KEY0000002')],
    ['provider.set', subject('KEY0000001')],
  ])

  expect((await gateway.admin('DELETE', `/apps/${appId}/providers/apns`)).status).toBe(204)
  expect((await rollBack()).status).toBe(404)
  expect(await db.selectFrom('kept_credentials').select('id').where('app_id', '=', appId).execute()).toEqual([])
})
