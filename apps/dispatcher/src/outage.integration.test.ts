import { createServer } from 'node:net'
import { once } from 'node:events'
import { until } from '@herald/testing/until'
import { afterAll, afterEach, expect, test } from 'vitest'
import { sentTo, startRig } from './testing/start-rig.ts'
import type { Row } from './testing/start-peers.ts'

/** What a dispatcher does while a provider is away. */

const rig = await startRig()
const dispatcher = await rig.start({ OUTAGE_PROBE_SECONDS: '0.3', PROVIDER_RETRY_SECONDS: '0.1,0.2,0.3,0.4' })
afterEach(() => rig.simulator.control('DELETE', '/faults'))
afterAll(() => rig.clean())

const idsOf = (row: Row) => row.recipients.map(({ subscriptionId }) => subscriptionId)
const deliver = async (row: Row) => {
  await rig.peers.point(row)
  return rig.finishOf(row)
}
const browsers = (count: number) =>
  rig.simulator.devices({ platform: 'web', count, applicationServerKey: rig.peers.accounts.vapid.publicKey, keyPool: 4 })
type Line = { msg: string; level: string; code?: string; providerCode?: string; reasons?: Record<string, number>; batchId?: string }
const lines = (): Line[] =>
  dispatcher
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)

// spec: providers/away-waits
test.each([
  ['answers 503', '503', 'provider_unavailable'],
  ['refuses connections', 'refuse', 'network_error'],
])('while FCM %s no push with a ttl above 0 fails: audience gets each, even after its last attempt', async (_name, outage, code) => {
  await rig.simulator.control('PUT', '/faults', { service: 'fcm', outage })
  const early = rig.peers.queue('android', await rig.androids(25), { tries: 0 })
  const late = rig.peers.queue('android', await rig.androids(2), { tries: 4 })

  const [first, last] = await Promise.all([deliver(early), deliver(late)])

  expect(rig.peers.outcomesOf(early)).toEqual([])
  expect(rig.peers.outcomesOf(late)).toEqual([])
  expect(first.unavailable.map(({ subscriptionId }) => subscriptionId).toSorted()).toEqual(idsOf(early).toSorted())
  expect(first.unavailable.every(({ tries, retryInMs }) => tries === 1 && retryInMs !== null && retryInMs <= 125)).toBe(true)
  expect(first.answers).toEqual([{ environment: '', seen: 'u25', code }])
  expect(last.unavailable).toMatchObject([
    { tries: 5, retryInMs: null, environment: '', code },
    { tries: 5, retryInMs: null },
  ])
})

// spec: providers/away-waits, sending/ttl-zero
test('while a provider is away, a push with a ttl of 0 fails after its only attempt', async () => {
  await rig.simulator.control('PUT', '/faults', { service: 'fcm', outage: '503' })
  const row = rig.peers.queue('android', await rig.androids(1), {}, { ttl: 0 })
  const finish = await deliver(row)
  expect(finish).toMatchObject({ unavailable: [], retries: [], answers: [{ seen: 'u' }] })
  expect(rig.peers.outcomesOf(row)).toMatchObject([{ outcome: 'failed', code: 'provider_unavailable', attempts: 1 }])
})

test('audience hears that a probe was answered, even by a limit or dead device; otherwise a dead device counts nothing', async () => {
  const row = rig.peers.queue('android', await rig.androids(2, { behaviour: { answer: 'rate_limited' } }), { probe: true })
  expect((await deliver(row)).answers).toEqual([{ environment: '', seen: 'a', code: null }])
  const dead = rig.peers.queue('android', await rig.androids(2, { behaviour: { answer: 'dead' } }), { probe: true })
  expect((await deliver(dead)).answers).toEqual([{ environment: '', seen: 'p', code: null }])
  const asUsual = rig.peers.queue('android', await rig.androids(2, { behaviour: { answer: 'dead' } }))
  expect((await deliver(asUsual)).answers).toEqual([])
})

// spec: providers/push-service-away
test('pushes to a push service away wait uncounted, hold up no other, return within a minute, fail after an hour', async () => {
  const [gone, fine] = [await browsers(30), await browsers(3)]
  const dead = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(dead, 'listening')
  const address = dead.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const elsewhere = gone.map((device) => ({ ...device, endpoint: `https://127.0.0.1:${address.port}/push/${device.id}` }))
  const before = await deliver(rig.peers.queue('web', elsewhere))
  expect(before.answers).toEqual([])

  const row = rig.peers.queue('web', [...elsewhere, ...fine], { tries: 4 })
  const finish = await deliver(row)
  dead.close()

  expect(sentTo(row, finish).toSorted()).toEqual(idsOf(row).slice(30).toSorted())
  expect(rig.peers.outcomesOf(row).map(({ outcome }) => outcome)).toEqual(['sent', 'sent', 'sent'])
  expect(finish.retries).toHaveLength(30)
  expect(finish.retries.every(({ tries, retryInMs }) => tries === 4 && retryInMs <= 60_000)).toBe(true)

  // After an hour a push to a host that is still away is tried as usual, and fails.
  const old = rig.peers.queue('web', elsewhere.slice(0, 2), { tries: 4, elapsedMs: 3_600_000 }, { ttl: 7_200 })
  await deliver(old)
  expect(rig.peers.outcomesOf(old)).toMatchObject([{ outcome: 'failed' }, { outcome: 'failed' }])
})

test('a batch’s log line says why pushes were not sent, and the first of equal failures is a warning', async () => {
  const row = rig.peers.queue('android', [
    ...(await rig.androids(3, { behaviour: { answer: 'dead' } })),
    ...(await rig.androids(2, { behaviour: { answer: 'failing' } })),
    ...(await rig.androids(1, { behaviour: { answer: 'bad_token' } })),
    ...(await rig.androids(1)),
  ])
  await deliver(row)

  const line = await until(() => lines().find(({ msg, batchId }) => msg === 'batch delivered' && batchId === row.batchId))
  expect(line.reasons).toEqual({
    'failed token_dead 404 UNREGISTERED': 3,
    'retried provider_unavailable 500 INTERNAL': 2,
    'guarded token_invalid 400 INVALID_ARGUMENT message.token': 1,
  })
  const warned = lines().filter(({ level, providerCode }) => level === 'warn' && providerCode === '500 INTERNAL')
  expect(warned).toHaveLength(1)
  expect(warned[0]?.msg).toContain('status page')
})

test('when a provider breaks off every request, the batch’s log line and one warning have the error’s own word', async () => {
  const row = rig.peers.queue('android', await rig.androids(5, { behaviour: { answer: 'reset_after_accept' } }))
  const finish = await deliver(row)

  expect(finish.unavailable).toHaveLength(5)
  const [{ code, providerCode } = { code: '', providerCode: '' }] = finish.unavailable
  expect([code, providerCode]).toEqual(['network_error', expect.stringMatching(/^[A-Z][A-Z0-9_]+$/)])
  const line = await until(() => lines().find(({ msg, batchId }) => msg === 'batch delivered' && batchId === row.batchId))
  expect(line.reasons).toEqual({ [`retried ${code} ${providerCode}`]: 5 })
  const warned = lines().filter((one) => one.level === 'warn' && one.providerCode === providerCode)
  expect(warned).toHaveLength(1)
  expect(warned[0]?.msg).toContain('firewall, proxy, DNS')
})
