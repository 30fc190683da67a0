import { checkProvider } from '@herald/contracts/calls/dispatcher'
import { queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { remedyOf } from '@herald/contracts/remedies'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { afterEach, expect, test } from 'vitest'
import { startGateway } from '../../testing/start-gateway.ts'
import { startPeers } from '../../testing/start-peers.ts'

const nats = await freshNats()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: (await freshDatabase()).url('gateway'), nats })
const { appId } = await gateway.givenApp()
afterEach(() => peers.answers.clear())
const check = (kind: string, app = appId) => gateway.admin('POST', `/apps/${app}/providers/${kind}/check`)

// spec: administration/provider-check
test('checking credentials asks a dispatcher; when the provider refuses them, the answer says what to do about it', async () => {
  const refused = { ok: false, code: 'credentials_invalid', providerCode: '403 InvalidProviderToken' } as const
  peers.answers.set(checkProvider.subject, () => refused)
  const remedy = remedyOf('apns', refused.code, refused.providerCode)
  expect(await check('apns')).toMatchObject({ status: 200, body: { ...refused, remedy } })
  expect(remedy).toContain('team id')
  expect(peers.asked.at(-1)).toEqual({ subject: checkProvider.subject, request: { appId, kind: 'apns' } })
})

// spec: administration/provider-check
test('the check of credentials that the provider accepts names no remedy', async () => {
  peers.answers.set(checkProvider.subject, () => ({ ok: true, code: null, providerCode: '400 BadDeviceToken' }))
  expect((await check('fcm')).body).toEqual({ ok: true, code: null, providerCode: '400 BadDeviceToken', remedy: null })
})

test('checking credentials is 404 for an unknown app or provider, and 503 when a dispatcher cannot check now', async () => {
  expect((await check('apns', newId())).status).toBe(404)
  expect((await check('smoke-signals')).status).toBe(404)
  peers.answers.set(checkProvider.subject, () => {
    throw queueUnavailable()
  })
  expect((await check('webpush')).status).toBe(503)
})
