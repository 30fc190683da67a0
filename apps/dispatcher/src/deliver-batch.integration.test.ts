import { verifyMessageId } from '@herald/auth/message-id'
import { variantOf } from '@herald/contracts/experiment'
import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { afterEach, expect, test } from 'vitest'
import { hmacSecret, topic, type Row } from './testing/start-peers.ts'
import { sentTo, startRig } from './testing/start-rig.ts'

/** Tests a dispatcher in a process of its own. Stand-ins on the bus answer for audience, tracker and gateway, and the simulator for the providers. */

const rig = await startRig()
afterEach(() => rig.clean())

const idsOf = (row: Row) => row.recipients.map(({ subscriptionId }) => subscriptionId)

// spec: tracking/one-outcome
test('each push of a batch in parts has one outcome or goes back; a decided one gets audience’s outcome', async () => {
  await rig.start()
  const [fine, dead, busy] = [
    await rig.androids(40),
    await rig.androids(5, { behaviour: { answer: 'dead' } }),
    await rig.androids(5, { behaviour: { answer: 'unavailable' } }),
  ]
  const optedOut = {
    place: 50,
    subscriptionId: newId(),
    userId: newId(),
    tokenVersion: 1,
    attempts: 0,
    outcome: 'skipped' as const,
    code: 'opted_out' as const,
  }
  const row = rig.peers.queue('android', [...fine, ...dead, ...busy], { partSize: 13, decided: [optedOut] })
  const ids = idsOf(row)

  await rig.peers.point(row)
  const finish = await rig.finishOf(row)

  expect(sentTo(row, finish)).toEqual(ids.slice(0, 40))
  expect(finish.unsent).toEqual([optedOut.subscriptionId])
  expect(finish.dead.map(({ subscriptionId, code, tokenVersion }) => [subscriptionId, code, tokenVersion])).toEqual(
    ids.slice(40, 45).map((id) => [id, 'token_dead', 1]),
  )
  expect(finish.unavailable.map(({ subscriptionId }) => subscriptionId)).toEqual(ids.slice(45))
  expect(rig.peers.outcomesOf(row).map(({ outcome, code }) => `${outcome} ${code}`.trim())).toEqual([
    ...Array<string>(40).fill('sent'),
    ...Array<string>(5).fill('failed token_dead'),
  ])
  expect(rig.peers.endOf(row, optedOut.place)).toMatchObject({ outcome: 'skipped', code: 'opted_out' })
  expect((await rig.simulator.arrivedAt(fine)).map(({ deviceId }) => deviceId).toSorted()).toEqual(fine.map(({ id }) => id).toSorted())
})

// spec: content/cost
test('while a batch of dear content is rendered, a push of another batch is sent', async () => {
  await rig.start()
  const [many, one] = [await rig.androids(500), await rig.androids(1)]
  // About the dearest that is accepted: half a millisecond or more for each push.
  const body = '{{tags.v|url_encode|url_encode|url_encode|url_encode|truncate:1,""}}'.repeat(12)
  const content = { _default: 'en', en: { title: 'T', body } }
  const dear = rig.peers.queue('android', many, { lane: 'bulk', partSize: 500 }, { content })
  for (const recipient of dear.recipients) recipient.tags = { v: '漢'.repeat(1_024) }
  const light = rig.peers.queue('android', one)

  await rig.peers.point(dear)
  await until(async () => (await rig.simulator.arrivedAt(many)).length > 0, { what: 'the first dear push arrived' })
  await rig.peers.point(light)
  await rig.finishOf(light)

  expect(dear.finished).toEqual([])
  const finish = await rig.finishOf(dear)
  expect(sentTo(dear, finish)).toHaveLength(500)
})

// spec: webhooks/event-test
test('a dispatcher tells tracker and audience that a batch belongs to a test, and of no other batch', async () => {
  await rig.start()
  const devices = await rig.androids(2)
  const tested = rig.peers.queue('android', devices.slice(0, 1), {}, { test: true })
  const ordinary = rig.peers.queue('android', devices.slice(1))
  for (const row of [tested, ordinary]) await rig.peers.point(row)

  const [ofTest, ofOrdinary] = [await rig.finishOf(tested), await rig.finishOf(ordinary)]

  expect(ofTest.test).toBe(true)
  expect(ofOrdinary).not.toHaveProperty('test')
  expect([...rig.peers.toldAsTests]).toEqual([tested.campaignId])
  expect(rig.peers.outcomesOf(tested)).toMatchObject([{ outcome: 'sent' }])
})

// spec: sending/copies
test('while the tracker is away, sending stops at the limit of pushes in flight, and no outcome is lost', async () => {
  await rig.start({ DISPATCH_WINDOW: '20' })
  rig.peers.state.trackerIsAway = true
  const devices = await rig.androids(100)
  const row = rig.peers.queue('android', devices)
  await rig.peers.point(row)
  await until(async () => (await rig.simulator.arrivedAt(devices)).length === 20)
  await until(() => row.renewals > 0)
  expect(await rig.simulator.arrivedAt(devices)).toHaveLength(20)

  rig.peers.state.trackerIsAway = false
  const finish = await rig.finishOf(row)

  expect(sentTo(row, finish)).toHaveLength(100)
  expect(rig.peers.outcomesOf(row)).toHaveLength(100)
  expect(await rig.simulator.arrivedAt(devices)).toHaveLength(100)
})

// spec: providers/not-configured
test('without credentials every push fails at once; as soon as the app has credentials, pushes are sent', async () => {
  await rig.start()
  const appId = newId()
  rig.peers.changeCredentials(appId, 'fcm', null)
  const devices = await rig.androids(2)
  const before = rig.peers.queue('android', devices, { appId })
  await rig.peers.point(before)
  await rig.finishOf(before)
  expect(rig.peers.outcomesOf(before)).toMatchObject([
    { outcome: 'failed', code: 'not_configured', attempts: 0 },
    { outcome: 'failed', code: 'not_configured', attempts: 0 },
  ])

  rig.peers.changeCredentials(appId, 'fcm', rig.peers.accounts.credentials.fcm)
  // The news of the credentials and the pointer come over different subjects, so the first pushes may come before the news.
  const areSent = async () => {
    const after = rig.peers.queue('android', devices, { appId })
    await rig.peers.point(after)
    await rig.finishOf(after)
    return rig.peers.outcomesOf(after).every(({ outcome }) => outcome === 'sent')
  }
  await until(areSent, { what: 'the pushes are sent with the new credentials' })
  expect(rig.peers.askedCredentials.filter((asked) => asked === `${appId}/fcm`)).toHaveLength(2)
})

// spec: sending/ttl-counts, sending/ttl-zero, tracking/skip-reasons
test('a push whose ttl is used up is skipped; a push with a ttl of 0 gets exactly one attempt', async () => {
  await rig.start()
  const devices = await rig.androids(1)
  const late = rig.peers.queue('android', devices, { elapsedMs: 60_000 }, { ttl: 60 })
  await rig.peers.point(late)
  await rig.finishOf(late)
  expect(rig.peers.outcomesOf(late)).toMatchObject([{ outcome: 'skipped', code: 'expired', attempts: 0 }])
  expect(await rig.simulator.arrivedAt(devices)).toEqual([])

  const now = rig.peers.queue('android', devices, { elapsedMs: 60_000 }, { ttl: 0 })
  await rig.peers.point(now)
  await rig.finishOf(now)
  const [push] = await rig.simulator.arrivedAt(devices)
  expect(push?.payload).toMatchObject({ message: { android: { ttl: '0s' } } })

  const down = rig.peers.queue('android', await rig.androids(1, { behaviour: { answer: 'unavailable' } }), {}, { ttl: 0 })
  await rig.peers.point(down)
  expect((await rig.finishOf(down)).retries).toEqual([])
  expect(rig.peers.outcomesOf(down)).toMatchObject([{ outcome: 'failed', code: 'provider_unavailable', attempts: 1 }])
})

test('a pointer at a batch that another dispatcher has, or that is finished, makes a dispatcher send nothing', async () => {
  await rig.start()
  const devices = await rig.androids(1)
  const held = rig.peers.queue('android', devices, { leasedUntil: Number.POSITIVE_INFINITY, takes: 1 })
  const done = rig.peers.queue('android', devices)
  await rig.peers.point(held)
  await rig.peers.point(done)
  await rig.finishOf(done)
  await rig.peers.point(done)
  const last = rig.peers.queue('android', await rig.androids(1))
  await rig.peers.point(last)
  await rig.finishOf(last)
  expect(done.finished).toHaveLength(1)
  expect(await rig.simulator.arrivedAt(devices)).toHaveLength(1)
})

// spec: sending/platforms-apart
test('while APNs answers no push of a large send, Android pushes are sent, and small sends to iOS', async () => {
  await rig.start({ DISPATCH_WINDOW: '40' })
  const silent = await rig.simulator.devices({ platform: 'ios', count: 200, bundleId: topic, behaviour: { answer: 'silent' } })
  const hanging = rig.peers.queue('ios', silent, { lane: 'bulk' })
  await rig.peers.point(hanging)
  await until(() => hanging.takes === 1)

  const android = rig.peers.queue('android', await rig.androids(50))
  const prompt = rig.peers.queue('ios', await rig.simulator.devices({ platform: 'ios', count: 1, bundleId: topic }))
  await rig.peers.point(android)
  await rig.peers.point(prompt)
  await Promise.all([rig.finishOf(android), rig.finishOf(prompt)])
  expect(hanging.finished).toEqual([])
})

// spec: providers/endpoint-guard
test('no connection is made to an endpoint in a private network', async () => {
  await rig.start({ WEB_PUSH_ALLOW_PRIVATE: 'false' })
  const devices = await rig.simulator.devices({ platform: 'web', count: 2, applicationServerKey: rig.peers.accounts.vapid.publicKey })
  // One endpoint has a host name, the other an IP address.
  const [named, literal] = devices
  if (literal?.endpoint) literal.endpoint = literal.endpoint.replace('localhost', '127.0.0.1')
  const row = rig.peers.queue(
    'web',
    [named, literal].filter((device) => device !== undefined),
  )
  await rig.peers.point(row)
  const finish = await rig.finishOf(row)
  expect(rig.peers.outcomesOf(row)).toMatchObject([
    { outcome: 'failed', code: 'token_invalid', providerCode: 'address' },
    { outcome: 'failed', code: 'token_invalid', providerCode: 'address' },
  ])
  expect(finish.dead).toEqual([])
  const { connections } = await rig.simulator.control<{ connections: Record<string, unknown> }>('GET', '/summary')
  expect(connections['webPush']).toBe(0)
})

// spec: providers/no-answer
test('a browser whose encryption keys are malformed is reported to audience as dead, and its push fails', async () => {
  await rig.start()
  const [device] = await rig.simulator.devices({ platform: 'web', count: 1, applicationServerKey: rig.peers.accounts.vapid.publicKey })
  if (!device?.keys) throw new Error('no device')
  device.keys.p256dh = Buffer.alloc(65, 4).toString('base64url')
  const row = rig.peers.queue('web', [device])
  await rig.peers.point(row)
  expect((await rig.finishOf(row)).dead).toMatchObject([{ code: 'encryption_failed' }])
  expect(rig.peers.outcomesOf(row)).toMatchObject([{ outcome: 'failed', code: 'encryption_failed' }])
})

// spec: running/secrets-required, running/environment
test.each([
  ['FCM_URL', 'https://proxy.example/fcm'],
  ['APNS_URL', 'http://proxy.example'],
  ['SEAL_KEYS', ''],
  ['HMAC_SECRET', ''],
])('the dispatcher does not start with %s=%s, and names the variable without printing a secret or an address', async (name, value) => {
  const refusal = await rig.start({ [name]: value }).catch(String)
  expect(refusal).toContain(`${name}: `)
  expect(refusal).not.toContain(value === '' ? hmacSecret : value)
})

// spec: experiments/one-variant-per-user
test('a user gets their variant’s text; msgId and outcome name the variant, however the push ends', async () => {
  await rig.start()
  const titled = (title: string) => ({ _default: 'en', en: { title, body: 'B' } })
  const variants = ['a', 'b'].map((id) => ({ id, weight: 1, content: titled(id) }))
  const devices = await rig.androids(20)
  const dead = await rig.androids(4, { behaviour: { answer: 'dead' } })
  const row = rig.peers.queue('android', [...devices, ...dead], {}, { experiment: { sampleRate: 1, variants } })
  const decided = { place: 24, subscriptionId: newId(), userId: newId(), tokenVersion: 1, attempts: 0 }
  row.decided.push({ ...decided, outcome: 'skipped', code: 'opted_out' })
  const variantOfUser = (userId: string) => variantOf(variants, row.campaignId, userId).id

  await rig.peers.point(row)
  await rig.finishOf(row)

  expect(rig.peers.outcomesOf(row).map(({ variant }) => variant)).toEqual(row.recipients.map(({ userId }) => variantOfUser(userId)))
  expect(rig.peers.endOf(row, decided.place)?.variant).toBe(variantOfUser(decided.userId))
  const arrived = await rig.simulator.arrivedAt(devices)
  expect(arrived).toHaveLength(20)
  for (const { msgId, payload } of arrived) {
    const said = verifyMessageId([hmacSecret], msgId)
    expect(payload).toMatchObject({ message: { notification: { title: said?.variant } } })
    expect(said?.variant).toBe(variantOfUser(said?.userId ?? ''))
  }
})
