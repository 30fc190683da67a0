import { providerOf } from '@herald/contracts/app'
import type { FinishBatch } from '@herald/contracts/batch'
import { newId } from '@herald/contracts/ids'
import { platforms as allPlatforms, type Platform } from '@herald/contracts/platform'
import { knownAnswers } from '@herald/contracts/provider-answers'
import { freshNats } from '@herald/testing/nats'
import { until } from '@herald/testing/until'
import { afterAll, describe, expect, test } from 'vitest'
import { cases, meant, rich } from './conformance-cases.ts'
import { sends } from './send-cases.ts'
import { startDispatcher } from './start-dispatcher.ts'
import { giveForeignKey, hmacSecret, projectId, sealKeys, startPeers, topic, type Outcome, type Row } from './start-peers.ts'
import { startNameServer } from './start-name-server.ts'
import { startNodeFronts } from './start-node-fronts.ts'
import { startSimulator, type Device } from './start-simulator.ts'

/**
 * Runs the same tests for APNs, FCM and Web Push against the strict simulator, for both kinds of transport. `isBehindNode`: Node's own HTTP/2 server
 * stands before APNs and FCM, without Web Push.
 */
export async function checkConformance(transport: 'own' | 'library', { isBehindNode = false } = {}): Promise<void> {
  const natsUrl = await freshNats()
  const simulator = await startSimulator()
  const peers = await startPeers(natsUrl, simulator)
  const { ca, apns, apnsSandbox, fcm } = isBehindNode ? await startNodeFronts(simulator) : { ...simulator.addresses, ca: simulator.ca }
  const platforms = allPlatforms.filter((platform) => !isBehindNode || platform !== 'web')
  // It leads every push service to the simulator, whose answers depend on the host.
  const nameServer = await startNameServer(() => true)
  const env = {
    NATS_URL: natsUrl,
    LOG_LEVEL: 'debug',
    TRANSPORT: transport,
    HMAC_SECRET: hmacSecret,
    SEAL_KEYS: sealKeys,
    NODE_EXTRA_CA_CERTS: ca,
    APNS_URL: apns,
    APNS_SANDBOX_URL: apnsSandbox,
    FCM_URL: fcm,
    WEB_PUSH_ALLOW_PRIVATE: 'true',
  }
  const dispatcher = await startDispatcher(env, nameServer.address)
  afterAll(() => dispatcher.kill())
  const everyDevice: Device[] = []

  async function makeDevices(platform: Platform, count: number, more: object = {}): Promise<Device[]> {
    const account = {
      ios: { bundleId: topic },
      android: { projectId },
      web: { applicationServerKey: peers.accounts.vapid.publicKey, keyPool: 4 },
    }[platform]
    const devices = await simulator.devices({ platform, count, ...account, ...more })
    everyDevice.push(...devices)
    return devices
  }

  async function deliver(row: Row): Promise<{ outcomes: Outcome[]; finished: FinishBatch }> {
    await peers.point(row)
    await until(() => row.finished.length > 0, { what: `${row.platform} batch finished`, withinMs: 25_000 })
    const [finished] = row.finished
    if (!finished) throw new Error('not finished')
    return { outcomes: peers.outcomesOf(row), finished }
  }

  const idsOf = (row: Row) => row.recipients.map(({ subscriptionId }) => subscriptionId)

  const runs = cases.flatMap(({ expected, ...one }) =>
    platforms.flatMap((platform) => {
      const wanted = expected[platform]
      return wanted ? [{ ...one, platform, wanted }] : []
    }),
  )

  // spec: providers/time-limits
  describe.concurrent('an answer', () => {
    test.for(runs)('$platform: $name', async ({ platform, behaviour, wanted, arrived = 0 }, { expect }) => {
      const devices = await makeDevices(platform, 1, { behaviour })
      const row = peers.queue(platform, devices)
      const startedAt = performance.now()

      const { outcomes, finished } = await deliver(row)

      if (behaviour.answer === 'silent') expect(performance.now() - startedAt).toBeGreaterThan(9_900)
      if ('guarded' in wanted) {
        expect(outcomes).toEqual([])
        const [subscriptionId] = idsOf(row)
        expect(finished.guarded).toMatchObject([{ ...wanted.guarded, subscriptionId, tokenVersion: 1, tries: 1 }])
        expect(finished.guarded[0]?.agoMs).toBeLessThan(20_000)
        expect(finished).toMatchObject({ dead: [], retries: [], answers: [{ seen: 'g', code: wanted.guarded.code }] })
      } else if ('settled' in wanted) {
        expect(outcomes).toMatchObject([{ ...wanted.settled, attempts: 1 }])
        expect(finished.retries).toEqual([])
        expect(finished.dead.map(({ subscriptionId }) => subscriptionId)).toEqual(wanted.dead ? idsOf(row) : [])
      } else {
        expect(outcomes).toEqual([])
        const [back] = [...finished.retries, ...finished.unavailable]
        expect(back).toMatchObject({ tries: 1 })
        const inMs = back?.retryInMs
        expect(inMs).toBeGreaterThan(wanted.retryInMs[0])
        expect(inMs).toBeLessThanOrEqual(wanted.retryInMs[1])
        expect(finished.dead).toEqual([])
      }
      expect(await simulator.arrivedAt(devices)).toHaveLength(arrived)
    })
  })

  const known = knownAnswers.flatMap((one) => {
    const platform = platforms.find((name) => providerOf[name] === one.provider)
    return platform ? [{ ...one, platform }] : []
  })

  // node-apn ends its session after a 5xx, and with it the pushes beside it. So the libraries get one answer at a time.
  const oneByOne = transport === 'own' ? describe.concurrent : describe
  // spec: providers/known-answers
  oneByOne('a real answer', () => {
    test.for(known)('$name', async ({ name, platform, host, class: meaning, code }, { expect }) => {
      const at = host === undefined ? {} : { host: `one.${host}` }
      const devices = await makeDevices(platform, 1, { behaviour: { answer: 'known', known: name }, ...at })
      const { outcomes, finished } = await deliver(peers.queue(platform, devices))

      const { retries, unavailable, guarded, answers, dead, rate } = finished
      const back = [...retries, ...unavailable].map((push) => ({ tries: push.tries, code: push.code }))
      const failed = outcomes.map((one) => ({ outcome: one.outcome, code: one.code }))
      switch (meaning) {
        case 'dead':
        case 'bad':
          expect({ failed, dead: dead.length }).toEqual({ failed: [{ outcome: 'failed', code }], dead: meaning === 'dead' ? 1 : 0 })
          break
        case 'guarded':
        case 'suspect':
          expect(guarded.map((push) => push.code)).toEqual([code])
          expect(guarded[0]?.letter).toBe(meaning === 'suspect' ? 'w' : name === 'fcm third party auth error' ? 't' : 'g')
          break
        case 'retry':
          expect(back).toEqual([{ tries: 1, code }])
          break
        case 'quota':
          expect({ back, refused: rate?.refused }).toEqual({ back: [{ tries: 0, code }], refused: 1 })
          break
        default:
          expect({ back, seen: answers.map(({ seen }) => seen) }).toEqual({ back: [{ tries: 0, code }], seen: ['c'] })
      }
    })
  })

  const sendRuns = sends.flatMap(({ meant: of, ...one }) => platforms.map((platform) => ({ ...one, platform, wanted: of[platform] })))

  describe.concurrent('a send', () => {
    test.for(sendRuns)('$platform: $name', async ({ platform, send, elapsedMs = 0, wanted }, { expect }) => {
      const devices = await makeDevices(platform, 1)
      const row = peers.queue(platform, devices, { elapsedMs }, send)

      const { outcomes, finished } = await deliver(row)
      const arrived = await simulator.arrivedAt(devices)

      expect(finished.retries).toEqual([])
      if (typeof wanted === 'object') {
        expect(outcomes).toMatchObject([{ ...wanted, attempts: 0 }])
        expect(arrived).toEqual([])
      } else {
        expect(outcomes).toMatchObject([{ outcome: 'sent', attempts: 1 }])
        expect(arrived).toHaveLength(1)
        for (const push of arrived) expect(push).toMatchObject(wanted(push))
      }
    })
  })

  describe.each(platforms)('%s', (platform) => {
    // spec: sending/priority, sending/ios-payload, sending/android-payload, sending/web-payload
    test('a device gets the fields of the push as the send has them', async () => {
      const devices = await makeDevices(platform, 1)
      await deliver(peers.queue(platform, devices, {}, rich))

      const [push] = await simulator.arrivedAt(devices)
      if (!push || !devices[0]) throw new Error('nothing arrived')
      expect(push.msgId).toMatch(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{22}$/)
      expect({ headers: push.headers, payload: push.payload }).toEqual(meant[platform](push, devices[0]))
    })

    // spec: sending/collapse-id, sending/android-collapse
    test('three sends to a device that is off replace one another by collapseId alone; APNs keeps the last anyway', async () => {
      const [device] = await makeDevices(platform, 1, { behaviour: { answer: 'offline' } })
      if (!device) throw new Error('no device')
      const keptAfterThree = async (send: object) => {
        for (let no = 0; no < 3; no += 1) await deliver(peers.queue(platform, [device], {}, send))
        return (await simulator.keptFor(device)).length
      }
      expect(await keptAfterThree({ collapseId: 'news' })).toBe(1)
      expect(await keptAfterThree({ collapseId: null })).toBe(platform === 'ios' ? 1 : 4)
    })

    // spec: sending/push-identity
    test('a push that is sent again has the same msgId, collapse id and payload', async () => {
      const devices = await makeDevices(platform, 1)
      const row = peers.queue(platform, devices)
      await deliver(row)
      await deliver(peers.queue(platform, devices, { campaignId: row.campaignId, recipients: row.recipients, tries: 1 }))

      const [first, second] = await simulator.arrivedAt(devices)
      // FCM and push services give each message a new name.
      expect(second?.id === first?.id).toBe(platform === 'ios')
      expect(second?.msgId).toBe(first?.msgId)
      for (const name of ['topic', 'collapseId']) expect(second?.headers[name]).toBe(first?.headers[name])
      // iOS replaces the first copy, because both have the same collapse id.
      expect(second?.headers['collapseId']).toBe(platform === 'ios' ? first?.id : undefined)
      expect(second?.payload).toEqual(first?.payload)
    })

    test('hundreds of pushes in one batch arrive once each', async () => {
      const devices = await makeDevices(platform, 300)
      const row = peers.queue(platform, devices, { lane: 'bulk' })

      const { outcomes, finished } = await deliver(row)

      expect(outcomes.map(({ outcome }) => outcome)).toEqual(devices.map(() => 'sent'))
      expect(finished.answers).toMatchObject([{ seen: 's300', code: null }])
      // When the first environment accepts a token, audience has nothing to remember.
      expect(finished.environments).toEqual([])
      expect((await simulator.arrivedAt(devices)).map(({ deviceId }) => deviceId).toSorted()).toEqual(
        devices.map(({ id }) => id).toSorted(),
      )
    })

    // spec: providers/circuit-holds
    test('wrong credentials invalidate no device and fail no push: sent or not, all pushes go back to audience', async () => {
      const appId = newId()
      giveForeignKey(peers, platform, appId)
      const devices = await makeDevices(platform, 3)
      const row = peers.queue(platform, devices, { appId, tries: 2 })

      const { outcomes, finished } = await deliver(row)

      const isForSure = platform !== 'web'
      expect(outcomes).toEqual([])
      expect(finished).toMatchObject({ dead: [], credentialsVersion: 1 })
      // Audience decides about browsers: each of them may belong to another key.
      const back = isForSure ? finished.retries : finished.guarded
      expect(back.map(({ subscriptionId }) => subscriptionId).toSorted()).toEqual(idsOf(row).toSorted())
      expect(back.map(({ tries }) => tries)).toEqual(devices.map(() => (isForSure ? 2 : 3)))
      const refused = finished.refused.map(({ subscriptionId, letter }) => `${subscriptionId} ${letter}`)
      expect(refused.toSorted()).toEqual(
        isForSure
          ? []
          : idsOf(row)
              .map((id) => `${id} w`)
              .toSorted(),
      )
      expect(finished.answers).toMatchObject([
        {
          environment: platform === 'ios' ? 'production' : '',
          seen: expect.stringMatching(isForSure ? /^c[23]?$/ : /^w3$/),
          code: 'credentials_invalid',
        },
      ])
      expect(await simulator.arrivedAt(devices)).toEqual([])
    })

    // spec: providers/circuit-now-or-never
    test('with wrong credentials a push with a ttl of 0 fails at its only attempt', async () => {
      const appId = newId()
      giveForeignKey(peers, platform, appId)
      const { outcomes, finished } = await deliver(peers.queue(platform, await makeDevices(platform, 1), { appId }, { ttl: 0 }))
      expect(outcomes).toMatchObject([{ outcome: 'failed', code: 'credentials_invalid', attempts: 1 }])
      expect(finished).toMatchObject({ dead: [], retries: [], answers: [{ seen: platform === 'web' ? 'w' : 'c' }] })
    })

    // spec: content/too-large-at-send
    test('a push that cannot be cut to size fails without a request, and the other pushes are sent', async () => {
      const devices = await makeDevices(platform, 2)
      const content = { _default: 'en', en: { title: '{{ user.externalId }}', body: 'short' } }
      const row = peers.queue(platform, devices, {}, { content, data: { filler: 'x'.repeat(3_000) } })
      const [large] = row.recipients
      if (large) large.user = { externalId: '📦'.repeat(250) }

      const { outcomes, finished } = await deliver(row)

      expect(outcomes).toMatchObject([
        { outcome: 'failed', code: 'payload_too_large', attempts: 0 },
        { outcome: 'sent', attempts: 1 },
      ])
      expect(finished).toMatchObject({ dead: [], retries: [], unsent: [row.recipients[0]?.subscriptionId] })
      expect((await simulator.arrivedAt(devices)).map(({ deviceId }) => deviceId)).toEqual([devices[1]?.id])
    })
  })

  describe.each(platforms)('%s when its provider cannot be reached', (platform) => {
    const service = { ios: 'apns', android: 'fcm', web: 'web-push' }[platform]

    test('the pushes go back to audience with an attempt counted, and are sent once the provider is back', async () => {
      const devices = await makeDevices(platform, 3)
      await simulator.control('PUT', '/faults', { service, outage: 'refuse' })
      const away = peers.queue(platform, devices)
      const { outcomes, finished } = await deliver(away)
      await simulator.control('DELETE', '/faults')
      expect(outcomes).toEqual([])
      expect([...finished.retries, ...finished.unavailable].map(({ tries }) => tries)).toEqual([1, 1, 1])

      const back = await deliver(peers.queue(platform, devices, { campaignId: away.campaignId, recipients: away.recipients, tries: 1 }))
      expect(back.outcomes.map(({ outcome, attempts }) => `${outcome} ${attempts}`)).toEqual(['sent 2', 'sent 2', 'sent 2'])
      expect(await simulator.arrivedAt(devices)).toHaveLength(3)
    })
  })

  // The library sends web pushes over HTTP/1.1 only.
  const overHttp2 = platforms.filter((platform) => platform !== 'web' || transport === 'own')
  describe.each(overHttp2)('%s over HTTP/2', (platform) => {
    const service = { ios: 'apns', android: 'fcm', web: 'web-push' }[platform]

    // spec: providers/refused-again
    test('pushes that the server refuses without processing them are sent again at once, and no device gets two', async () => {
      await simulator.control('PUT', '/faults', { service, refuseStreamShare: 0.03, goawayEvery: 120 })
      const devices = await makeDevices(platform, 300)
      const row = peers.queue(platform, devices)

      const { outcomes, finished } = await deliver(row)
      await simulator.control('DELETE', '/faults')

      expect(outcomes.map(({ outcome, attempts }) => `${outcome} ${attempts}`)).toEqual(devices.map(() => 'sent 1'))
      expect(finished.retries).toEqual([])
      expect(await simulator.arrivedAt(devices)).toHaveLength(300)
    })
  })

  describe('APNs', () => {
    // spec: providers/apns-environments
    test('a sandbox token that production does not know is sent to the sandbox, and audience hears the environment', async () => {
      const devices = await makeDevices('ios', 1, { environment: 'sandbox' })
      const row = peers.queue('ios', devices)

      const { outcomes, finished } = await deliver(row)

      expect(outcomes).toMatchObject([{ outcome: 'sent', attempts: 1 }])
      expect(finished.environments).toEqual([{ subscriptionId: idsOf(row)[0], environment: 'sandbox' }])

      const recipients = row.recipients.map((recipient) => ({ ...recipient, environment: 'sandbox' as const }))
      const again = await deliver(peers.queue('ios', devices, { recipients }))
      expect(again.outcomes).toMatchObject([{ outcome: 'sent' }])
      expect(again.finished.environments).toEqual([])
    })

    test('a push whose token the remembered environment refuses is sent to the other one, and audience is told the environment', async () => {
      const devices = await makeDevices('ios', 1)
      const row = peers.queue('ios', devices)
      const recipients = row.recipients.map((recipient) => ({ ...recipient, environment: 'sandbox' as const }))

      const { outcomes, finished } = await deliver(peers.queue('ios', devices, { recipients }))

      expect(outcomes).toMatchObject([{ outcome: 'sent', attempts: 1 }])
      expect(finished.environments).toEqual([{ subscriptionId: idsOf(row)[0], environment: 'production' }])
    })

    // spec: providers/apns
    test('a provider token that APNs calls expired is replaced once, and the pushes are sent', async () => {
      const appId = newId()
      const old = peers.accounts.apnsToken(new Date(Date.now() - 2 * 3_600_000))
      const asked: (string | null)[] = []
      peers.apnsTokens.set(appId, (refused) => {
        asked.push(refused)
        return refused === old.token ? peers.accounts.apnsToken(new Date()) : old
      })
      const devices = await makeDevices('ios', 20)

      const { outcomes } = await deliver(peers.queue('ios', devices, { appId }))

      expect(outcomes.map(({ outcome }) => outcome)).toEqual(devices.map(() => 'sent'))
      expect(asked).toEqual([null, old.token])
    })

    // spec: sending/silent
    test('APNs gets a silent push as a background push', async () => {
      const devices = await makeDevices('ios', 1)
      await deliver(peers.queue('ios', devices, {}, { silent: true, content: null, ttl: 0 }))

      const [push] = await simulator.arrivedAt(devices)
      expect(push?.headers).toMatchObject({ pushType: 'background', priority: '5', expiration: '0' })
      expect(push?.payload).toMatchObject({ aps: { 'content-available': 1 } })
    })
  })

  // spec: providers/oauth-token
  test('without an OAuth token no push is sent to FCM, and every push is tried again later', async () => {
    const appId = newId()
    await simulator.control('PUT', '/faults', { service: 'oauth', outage: 503 })
    const devices = await makeDevices('android', 3)

    const { outcomes, finished } = await deliver(peers.queue('android', devices, { appId }))
    await simulator.control('DELETE', '/faults')

    expect(outcomes).toEqual([])
    expect([...finished.retries, ...finished.unavailable].map(({ tries }) => tries)).toEqual([1, 1, 1])
    expect(await simulator.arrivedAt(devices)).toEqual([])
  })

  // This test must be the last one, since it reads what the tests above made the dispatcher write.
  // spec: sending/secrets
  test("tokens, addresses, keys and texts of pushes never reach the dispatcher's log", () => {
    const output = dispatcher.output()
    const secrets = everyDevice.flatMap(({ token, endpoint, keys }) => [token, endpoint, keys?.p256dh, keys?.auth])
    const leaked = [...secrets, hmacSecret, 'anna', 'BEGIN PRIVATE KEY', 'eyJ'].filter(
      (secret) => secret !== undefined && output.includes(secret),
    )
    expect(output).toContain('batch delivered')
    expect(leaked).toEqual([])
  })
}
