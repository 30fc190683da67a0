import type { ProviderKind } from '@herald/contracts/app'
import { checkProvider } from '@herald/contracts/calls/dispatcher'
import { newId } from '@herald/contracts/ids'
import { remedyOf } from '@herald/contracts/remedies'
import { openBus } from '@herald/service/bus'
import { testService } from '@herald/testing/service'
import { afterAll, expect, test } from 'vitest'
import { startRig } from './testing/start-rig.ts'
import { giveForeignKey } from './testing/start-peers.ts'

/** The check of an app's credentials at a provider, through the transports that send. */

const rig = await startRig()
await rig.start({ APNS_SANDBOX_URL: rig.simulator.addresses.apnsSandbox })
afterAll(() => rig.clean())
const { accounts } = rig.peers
const gateway = await openBus(testService('gateway', { NATS_URL: rig.environment['NATS_URL'] ?? '' }))
const check = (kind: ProviderKind, appId = rig.peers.appId) => gateway.call(checkProvider, { appId, kind })
/** Gives how many requests the providers accepted and refused so far. */
async function heard() {
  const { accepted, rejected } = await rig.simulator.control<Record<'accepted' | 'rejected', Record<string, number>>>('GET', '/summary')
  return { accepted, rejected }
}

// spec: providers/check
test('a check reports good credentials as good at all three providers, and no device gets a push', async () => {
  const { accepted } = await heard()
  const devices = [
    ...(await rig.androids(1)),
    ...(await rig.simulator.devices({ platform: 'ios', count: 1, bundleId: accounts.credentials.apns.bundleId })),
  ]

  expect(await check('apns')).toEqual({ ok: true, code: null, providerCode: '400 BadDeviceToken' })
  expect(await check('fcm')).toEqual({ ok: true, code: null, providerCode: '400 INVALID_ARGUMENT message.token' })
  expect(await check('webpush')).toEqual({ ok: true, code: null, providerCode: null })

  expect((await heard()).accepted).toEqual(accepted)
  expect(await rig.simulator.arrivedAt(devices)).toEqual([])
})

// spec: providers/check
test.each<[kind: ProviderKind, platform: 'ios' | 'android', said: string, remedy: string]>([
  ['apns', 'ios', '403 InvalidProviderToken', 'Check that team id and key id'],
  ['fcm', 'android', '401 oauth 400 invalid_grant', 'Give the newest key'],
])('the check of a key unknown to %s gives the provider’s word, and Herald has advice for it', async (kind, platform, said, remedy) => {
  const appId = newId()
  giveForeignKey(rig.peers, platform, appId)
  const checked = await check(kind, appId)
  expect(checked).toEqual({ ok: false, code: 'credentials_invalid', providerCode: said })
  expect(remedyOf(kind, 'credentials_invalid', checked.providerCode)).toContain(remedy)
})

// spec: administration/credentials-checked
test.each<[kind: ProviderKind, platform: 'ios' | 'android', said: string]>([
  ['apns', 'ios', '403 InvalidProviderToken'],
  ['fcm', 'android', '401 oauth 400 invalid_grant'],
])('a check of credentials to replace those of %s asks with the new key, while the others are good', async (kind, platform, said) => {
  const candidateId = newId()
  giveForeignKey(rig.peers, platform, candidateId)
  if (kind === 'apns') rig.peers.changeCredentials(candidateId, kind, { ...accounts.credentials.apns, candidateId })
  expect(await gateway.call(checkProvider, { appId: rig.peers.appId, kind, candidateId })).toMatchObject({
    ok: false,
    providerCode: said,
  })
  expect(await check(kind)).toMatchObject({ ok: true })
})

test('a check reports a bundle id of another team and a project of another account', async () => {
  const [teams, projects] = [newId(), newId()]
  rig.peers.changeCredentials(teams, 'apns', { ...accounts.credentials.apns, bundleId: 'com.example.of-others' })
  rig.peers.changeCredentials(projects, 'fcm', { ...accounts.credentials.fcm, projectId: 'project-of-others' })

  expect(await check('apns', teams)).toMatchObject({ ok: false, code: 'sender_mismatch', providerCode: expect.stringContaining('Topic') })
  expect(await check('fcm', projects)).toMatchObject({
    ok: false,
    code: 'credentials_invalid',
    providerCode: '403 PERMISSION_DENIED',
  })
})

test('a check reports missing credentials, undecryptable keys and a contact address that cannot be reached, without a provider', async () => {
  const before = await heard()
  const [none, sealed, local] = [newId(), newId(), newId()]
  rig.peers.changeCredentials(none, 'apns', null)
  rig.peers.changeCredentials(sealed, 'webpush', { ...accounts.credentials.webpush, sealContext: 'elsewhere' })
  rig.peers.changeCredentials(local, 'webpush', { ...accounts.credentials.webpush, subject: 'mailto:ops@localhost' })

  expect(await check('apns', none)).toEqual({ ok: false, code: 'not_configured', providerCode: null })
  expect(await check('webpush', sealed)).toEqual({ ok: false, code: 'credentials_invalid', providerCode: 'credentials' })
  expect(await check('webpush', local)).toEqual({ ok: false, code: 'credentials_invalid', providerCode: 'subject' })
  expect(await heard()).toEqual(before)
})

test('a check asks with the credentials that were set a moment ago', async () => {
  const appId = newId()
  giveForeignKey(rig.peers, 'android', appId)
  expect(await check('fcm', appId)).toMatchObject({ ok: false })
  rig.peers.changeCredentials(appId, 'fcm', accounts.credentials.fcm)
  expect(await check('fcm', appId)).toMatchObject({ ok: true })
})

test('when FCM answers 503, refuses connections or does not answer, a check says so and does not blame the credentials', async () => {
  const fault = (change: object) => rig.simulator.control('PUT', '/faults', { service: 'fcm', ...change })
  await fault({ outage: '503' })
  expect(await check('fcm')).toMatchObject({ ok: false, code: 'provider_unavailable', providerCode: expect.stringContaining('503') })
  await fault({ outage: 'refuse' })
  expect(await check('fcm')).toMatchObject({ ok: false, code: 'network_error' })
  await fault({ outage: null, latencyMs: 30_000 })
  expect(await check('fcm')).toMatchObject({ ok: false, code: 'timeout' })
  await rig.simulator.control('DELETE', '/faults')
  expect(await check('fcm')).toMatchObject({ ok: true })
}, 60_000)

test('after a check during an outage a push is sent, and only its answer reaches the circuit', async () => {
  const [device] = await rig.androids(1)
  await rig.simulator.control('PUT', '/faults', { service: 'fcm', outage: '503' })
  expect(await check('fcm')).toMatchObject({ ok: false })
  await rig.simulator.control('DELETE', '/faults')

  const row = rig.peers.queue('android', device ? [device] : [])
  await rig.peers.point(row)
  expect(await rig.finishOf(row)).toMatchObject({ answers: [{ seen: 's' }] })
})
