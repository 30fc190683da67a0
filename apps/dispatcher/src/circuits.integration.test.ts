import { randomBytes } from 'node:crypto'
import { spellAnswers, type FinishBatch } from '@herald/contracts/batch'
import { newId } from '@herald/contracts/ids'
import { afterAll, describe, expect, test } from 'vitest'
import { rateScope } from './providers/provider.ts'
import { giveForeignKey, projectId, topic, type Row } from './testing/start-peers.ts'
import { sentTo, startRig } from './testing/start-rig.ts'

/** What a dispatcher tells audience for its circuits, and what it does at an open circuit (spec: providers/circuit-holds, providers/guard-many). */

const rig = await startRig()
await rig.start({ APNS_SANDBOX_URL: rig.simulator.addresses.apnsSandbox, DISPATCH_WINDOW: '8' })
afterAll(() => rig.clean())

const idsOf = (row: Row) => row.recipients.map(({ subscriptionId }) => subscriptionId)
const retriesOf = ({ retries }: FinishBatch) => Object.fromEntries(retries.map(({ subscriptionId, tries }) => [subscriptionId, tries]))
const iphones = (count: number, more: object = {}) => rig.simulator.devices({ platform: 'ios', count, bundleId: topic, ...more })
const browsers = (count: number, more: object = {}) =>
  rig.simulator.devices({ platform: 'web', count, applicationServerKey: rig.peers.accounts.vapid.publicKey, keyPool: 4, ...more })

async function deliver(row: Row): Promise<FinishBatch> {
  await rig.peers.point(row)
  return rig.finishOf(row)
}

test('each time a dispatcher asks for a part of a batch, it names the circuit and its credentials', async () => {
  const ios = rig.peers.queue('ios', await iphones(3), { partSize: 2 })
  const android = rig.peers.queue('android', await rig.androids(1))
  const appId = newId()
  rig.peers.changeCredentials(appId, 'fcm', null)
  const none = rig.peers.queue('android', await rig.androids(1), { appId })

  const finishes = await Promise.all([ios, android, none].map(deliver))

  expect(ios.asked).toEqual(Array(2).fill({ environment: 'production', credentialsVersion: 1 }))
  expect(android.asked).toEqual([{ environment: '', credentialsVersion: 1 }])
  expect(none.asked).toEqual([{ environment: '', credentialsVersion: null }])
  expect(finishes.map(({ credentialsVersion }) => credentialsVersion)).toEqual([1, 1, null])
})

test('a dispatcher reports answers about a circuit under the environment that accepted the push or was asked first', async () => {
  const [fine, sandbox, bad, dead] = [
    await iphones(3),
    await iphones(2, { environment: 'sandbox' }),
    await iphones(1, { behaviour: { answer: 'bad_token' } }),
    await iphones(1, { behaviour: { answer: 'dead' } }),
  ]
  const row = rig.peers.queue('ios', [...fine, ...sandbox, ...bad, ...dead])

  const finish = await deliver(row)
  const { answers, guarded } = finish

  const [production, other] = answers.toSorted((a, b) => a.environment.localeCompare(b.environment))
  expect({
    ...production,
    seen: spellAnswers(production?.seen ?? '')
      .split('')
      .toSorted()
      .join(''),
  }).toEqual({
    environment: 'production',
    seen: 'gsss',
    code: 'token_invalid',
  })
  expect(other).toEqual({ environment: 'sandbox', seen: 's2', code: null })
  expect(sentTo(row, finish)).toHaveLength(5)
  expect(guarded.map(({ subscriptionId }) => subscriptionId)).toEqual([idsOf(row)[5]])
})

// spec: providers/circuit-now-or-never
test('a push that the mass guard decides about has no outcome yet; with a ttl of 0 it has failed', async () => {
  const devices = await rig.androids(1, { behaviour: { answer: 'sender_mismatch' } })
  const later = rig.peers.queue('android', devices, { tries: 2 })
  expect((await deliver(later)).guarded).toMatchObject([{ code: 'sender_mismatch', tries: 3 }])
  expect(rig.peers.outcomesOf(later)).toEqual([])

  const now = rig.peers.queue('android', devices, {}, { ttl: 0 })
  expect(await deliver(now)).toMatchObject({ guarded: [], dead: [], retries: [], answers: [{ seen: 'g' }] })
  expect(rig.peers.outcomesOf(now)).toMatchObject([{ outcome: 'failed', code: 'sender_mismatch', attempts: 1 }])
})

// spec: providers/circuit-holds
test('once a provider refuses the credentials, no further push is sent, and all go back uncounted', async () => {
  const appId = newId()
  giveForeignKey(rig.peers, 'ios', appId)
  const row = rig.peers.queue('ios', await iphones(200), { appId, tries: 3 })
  const rejectedBefore = await countRejected()

  const finish = await deliver(row)

  expect(retriesOf(finish)).toEqual(Object.fromEntries(idsOf(row).map((id) => [id, 3])))
  const [answers] = finish.answers
  const refused = spellAnswers(answers?.seen ?? '')
  expect(refused).toMatch(/^c{1,8}$/)
  expect(await countRejected()).toBe(rejectedBefore + refused.length)
  // The dispatcher may have missed the broadcast about new credentials, so for the next batch it asks the gateway again.
  await deliver(rig.peers.queue('ios', await iphones(1), { appId }))
  expect(rig.peers.askedCredentials.filter((asked) => asked === `${appId}/apns`)).toHaveLength(2)
})

async function countRejected(): Promise<number> {
  const { rejected } = await rig.simulator.control<{ rejected: Record<string, number> }>('GET', '/summary?open=false')
  return Object.values(rejected).reduce((sum, count) => sum + count, 0)
}

// spec: providers/no-answer
test('provider keys that cannot be decrypted count as wrong credentials: the pushes go back to audience without an attempt counted', async () => {
  const appId = newId()
  rig.peers.changeCredentials(appId, 'fcm', { ...rig.peers.accounts.credentials.fcm, sealContext: 'elsewhere' })
  const row = rig.peers.queue('android', await rig.androids(2), { appId, tries: 4 })
  const finish = await deliver(row)
  expect(retriesOf(finish)).toEqual(Object.fromEntries(idsOf(row).map((id) => [id, 4])))
  // The first answer stops the batch, and the second push may not have begun by then.
  expect(finish.answers).toMatchObject([{ seen: expect.stringMatching(/^c2?$/), code: 'credentials_invalid' }])
})

describe('probes', () => {
  // spec: providers/probe
  test('a probe goes to one device; the other pushes of the batch go back to audience without an attempt counted', async () => {
    const devices = await rig.androids(30)
    const row = rig.peers.queue('android', devices, { probe: true, tries: 1, partSize: 13 })
    const finish = await deliver(row)
    const [first, ...others] = idsOf(row)
    expect(sentTo(row, finish)).toEqual([first])
    expect(retriesOf(finish)).toEqual(Object.fromEntries(others.map((id) => [id, 1])))
    expect(finish.answers).toEqual([{ environment: '', seen: 's', code: null }])
    expect(await rig.simulator.arrivedAt(devices)).toHaveLength(1)
  })

  test('a probe goes to the first device of the batch, also when the circuit of that device’s environment is open', async () => {
    const [sandbox, production] = [await iphones(1, { environment: 'sandbox' }), await iphones(1)]
    const heldEnvironments = [{ environment: 'sandbox' as const, inMs: 30_000 }]
    const row = rig.peers.queue('ios', [...sandbox, ...production], { probe: true, heldEnvironments })
    for (const recipient of row.recipients.slice(0, 1)) recipient.environment = 'sandbox'
    expect(sentTo(row, await deliver(row))).toEqual([idsOf(row)[0]])
  })

  test('a probe answered that the credentials are wrong goes back, no attempt counted, due after the others', async () => {
    const appId = newId()
    giveForeignKey(rig.peers, 'android', appId)
    const row = rig.peers.queue('android', await rig.androids(2), { appId, probe: true, tries: 4 })
    const finish = await deliver(row)
    const at = new Map(finish.retries.map(({ subscriptionId, retryInMs }) => [subscriptionId, retryInMs]))
    const [probed = '', other = ''] = idsOf(row)
    expect(finish.answers).toMatchObject([{ seen: 'c' }])
    expect(retriesOf(finish)).toEqual({ [probed]: 4, [other]: 4 })
    expect(at.get(probed)).toBeGreaterThan((at.get(other) ?? 0) + 500)
  })

  // spec: providers/accepted-before
  test('a browser that refuses the key goes to audience with its host, and with a device that the host accepted', async () => {
    const foreign = await browsers(1, { applicationServerKey: randomBytes(65).toString('base64url') })
    const row = rig.peers.queue('web', [...foreign, ...(await browsers(2))])
    const finish = await deliver(row)
    const [refused = '', ...others] = idsOf(row)
    const host = new URL(rig.simulator.addresses.webPush).host
    expect(finish.guarded).toMatchObject([{ subscriptionId: refused, letter: 'w', host, tries: 1, code: 'credentials_invalid' }])
    expect(finish.guarded[0]?.retryInMs).toBeGreaterThan(0)
    expect(finish.refused).toEqual([{ environment: '', host, letter: 'w', subscriptionId: refused }])
    expect(finish.accepted).toMatchObject([{ environment: '', host }])
    expect(others).toContain(finish.accepted[0]?.subscriptionId)
  })

  test('when a probe’s answer leaves open whether the token is dead, the push goes to the mass guard', async () => {
    const row = rig.peers.queue('android', await rig.androids(2, { behaviour: { answer: 'bad_token' } }), { probe: true })
    const finish = await deliver(row)
    expect(finish.guarded).toMatchObject([{ subscriptionId: idsOf(row)[0], code: 'token_invalid' }])
    expect(finish.retries).toMatchObject([{ subscriptionId: idsOf(row)[1], tries: 0 }])
  })
})

test('pushes of an environment with an open circuit wait for its probe, unless their ttl is 0; others are sent', async () => {
  const [production, sandbox] = [await iphones(2), await iphones(2, { environment: 'sandbox' })]
  const inMs = 30_000
  const queue = (ttl: number) => {
    const row = rig.peers.queue('ios', [...production, ...sandbox], { heldEnvironments: [{ environment: 'sandbox', inMs }] }, { ttl })
    for (const recipient of row.recipients.slice(2)) recipient.environment = 'sandbox'
    return row
  }
  const held = queue(3600)
  const finish = await deliver(held)
  expect(sentTo(held, finish)).toEqual(idsOf(held).slice(0, 2))
  expect(finish.retries).toMatchObject(
    idsOf(held)
      .slice(2)
      .map((subscriptionId) => ({ subscriptionId, tries: 0 })),
  )
  for (const { retryInMs } of finish.retries) {
    expect(retryInMs).toBeGreaterThan(15_000)
    expect(retryInMs).toBeLessThanOrEqual(inMs)
  }
  const now = queue(0)
  expect(sentTo(now, await deliver(now))).toHaveLength(4)
})

// spec: providers/quota
test('a push that meets its project’s quota goes back uncounted, and the finish says how much was met', async () => {
  await rig.simulator.control('PUT', '/faults', { service: 'fcm', quota: { perMinute: 2 } })
  const row = rig.peers.queue('android', await rig.androids(5))
  const finish = await deliver(row)
  await rig.simulator.control('PUT', '/faults', { service: 'fcm', quota: null })

  expect(finish.retries.map(({ tries, code }) => [tries, code])).toEqual(Array(3).fill([0, 'rate_limited']))
  // FCM names no time, so each waits a minute and up to a quarter longer.
  for (const { retryInMs } of finish.retries) expect(retryInMs).toBeGreaterThan(55_000)
  expect(finish.rate).toMatchObject({
    scope: rateScope('fcm', projectId),
    platform: 'android',
    most: 9_000,
    accepted: 2,
    refused: 3,
    answered: 5,
  })
})

// spec: providers/web-push
test('a browser that takes fewer bytes than its push service gets a shorter text', async () => {
  const made = await browsers(1, { behaviour: { answer: 'bridged' } })
  const row = rig.peers.queue('web', made, {}, { content: { _default: 'en', en: { title: 'Long', body: 'x'.repeat(3_500) } } })
  expect((await deliver(row)).retries).toEqual([])
  expect(rig.peers.outcomesOf(row)).toMatchObject([{ outcome: 'sent', attempts: 1 }])
  const [push] = await rig.simulator.arrivedAt(made)
  expect(JSON.stringify(push?.payload)).toContain('xxx…')
})

// spec: providers/apns
test('a push whose connection began with another key is sent once more over a new one, as one attempt', async () => {
  const connections = async () =>
    (await rig.simulator.control<{ connections: { apns: number } }>('GET', '/summary?open=false')).connections.apns
  await deliver(rig.peers.queue('ios', await iphones(1)))
  const before = await connections()
  const row = rig.peers.queue('ios', await iphones(1, { behaviour: { answer: 'known', known: 'apns UnrelatedKeyIdInToken', times: 1 } }))
  await deliver(row)
  expect(rig.peers.outcomesOf(row)).toMatchObject([{ outcome: 'sent', attempts: 1 }])
  expect(await connections()).toBeGreaterThan(before)
})

test('a push answered with header fields that no server should send is sent; one answered 101 goes back', async () => {
  const odd = rig.peers.queue('web', await browsers(2, { behaviour: { answer: 'odd_header' } }))
  expect((await deliver(odd)).retries).toEqual([])
  expect(rig.peers.outcomesOf(odd).map(({ outcome }) => outcome)).toEqual(['sent', 'sent'])
  const upgraded = rig.peers.queue('web', await browsers(1, { behaviour: { answer: 'switching_protocols' } }))
  expect((await deliver(upgraded)).retries).toMatchObject([{ tries: 1, code: 'network_error' }])
})

// spec: providers/accepted-before
test('a dispatcher names an accepted device when nothing was refused too, and not again for a minute', async () => {
  const appId = newId()
  const first = await deliver(rig.peers.queue('web', await browsers(3), { appId }))
  const second = await deliver(rig.peers.queue('web', await browsers(3), { appId }))
  const host = new URL(rig.simulator.addresses.webPush).host
  expect(first.accepted).toMatchObject([{ environment: '', host }])
  expect(second.accepted).toEqual([])
})
