import type { Explained } from '@herald/contracts/explain'
import { until } from '@herald/testing/until'
import { beforeAll, expect, test } from 'vitest'
import { runningProcesses, signalAll } from '../chaos/processes.ts'
import { clockIn, givenDevices, ok, read, untilSettled, textOf, type Json, type Registered } from '../tests/campaigns.ts'
import { openDashboard, type Dashboard } from './dashboard.ts'
import { sharedProcesses } from '../platform.ts'

// The page Explain, for ten devices. Each device has another reason why it got its push or did not get it.

let herald: Dashboard['herald']
let tenant: Dashboard['tenant']
let open: Dashboard['open']
beforeAll(async () => void ({ herald, tenant, open } = await openDashboard(await sharedProcesses())))

const notify = async (device: Registered, more: Json = {}): Promise<string> => {
  const body = { target: { subscriptionIds: [device.id] }, content: textOf('Hello'), ...more }
  return ok(await tenant.call<{ id: string }>('POST', '/v1/notifications', body), 202).id
}
const sendAndSettle = async (device: Registered, more?: Json): Promise<string> => {
  const id = await notify(device, more)
  await untilSettled(tenant, id)
  return id
}
/**
 * Sends to a device while the app has these settings, and then removes the cap and the quiet hours. `before` is the number of sends to the device
 * before this send.
 */
const sendUnder = async (settings: Json, device: Registered, before = 0): Promise<string> => {
  ok(await tenant.admin('PATCH', '', { settings }), 200)
  for (let n = 0; n < before; n += 1) await sendAndSettle(device)
  const id = await sendAndSettle(device)
  ok(await tenant.admin('PATCH', '', { settings: { frequencyCap: null, quietHours: null } }), 200)
  return id
}
const long = 'x'.repeat(1_024)

type Case = {
  name: string
  /** Puts a new device into this case and gives the id of the send. */
  make: (device: Registered) => Promise<string>
  sentence: RegExp
  /** A step, its result, and a text that the page shows in it. */
  step: string
  result: 'stop' | 'wait' | 'pass' | 'info'
  says: RegExp
  register?: Json
  platform?: 'ios'
}

const cases: Case[] = [
  {
    name: 'a condition of the segment does not hold',
    register: { tags: { plan: 'free' } },
    make: (device) =>
      sendAndSettle(device, {
        target: {
          segment: {
            and: [
              { field: 'tags.plan', op: 'eq', value: 'pro' },
              { field: 'platform', op: 'eq', value: 'android' },
            ],
          },
        },
      }),
    sentence: /^Not in the segment: tags\.plan is free \(the segment wants pro\)\.$/,
    step: 'audience',
    result: 'stop',
    says: /plan is "pro" It is "free"/,
  },
  {
    name: 'the device is opted out',
    async make(device) {
      ok(await tenant.call('PATCH', `/v1/subscriptions/${device.id}`, { optedIn: false }), 200)
      return sendAndSettle(device)
    },
    sentence: /^The device was not reachable: it is opted out since .+\.$/,
    step: 'reachable',
    result: 'stop',
    says: /Opted in\s*No/,
  },
  {
    name: 'an earlier push found the token dead',
    async make(device) {
      await tenant.simulator('PUT', `/devices/${device.device.id}/behaviour`, { answer: 'dead' })
      await sendAndSettle(device)
      // The device is invalidated when its batch is finished, a moment after its push has ended.
      return until(async () => {
        const id = await sendAndSettle(device)
        return (await read(tenant, id)).stats.queued === 0 && id
      })
    },
    sentence: /^The device was not reachable: its token was found invalid at .+ because of token_dead in campaign [0-9a-f]{24}\.$/,
    step: 'reachable',
    result: 'stop',
    says: /Invalid token because of\s*token_dead/,
  },
  {
    name: 'the frequency cap is used up',
    make: (device) => sendUnder({ frequencyCap: { max: 1, windowSeconds: 3_600 } }, device, 1),
    sentence: /^Skipped at .*: the user had had as many messages as the cap allows, 1 in 1 h\.$/,
    step: 'cap',
    result: 'stop',
    says: /1 of 1 campaign within 1 hour was used/,
  },
  {
    name: 'the user is in quiet hours',
    register: { timezone: 'Asia/Tokyo' },
    make: (device) =>
      sendUnder({ quietHours: { start: clockIn('Asia/Tokyo', -60), end: clockIn('Asia/Tokyo', 60), action: 'skip' } }, device),
    sentence: /^Skipped at .*: it was in the quiet hours from \d\d:\d\d to \d\d:\d\d in Asia\/Tokyo\.$/,
    step: 'quiet_hours',
    result: 'stop',
    says: /Quiet\s*\d\d:\d\d to \d\d:\d\d in Asia\/Tokyo/,
  },
  {
    name: 'the device belongs to another user since its push was queued',
    async make(device) {
      const dispatcher = runningProcesses(herald.dataDir).get('dispatcher-1') ?? 0
      signalAll([dispatcher], 'SIGSTOP')
      try {
        const id = await notify(device)
        await until(async () => (await read(tenant, id)).stats.queued === 1, { what: 'the push is queued' })
        const queuedAt = performance.now()
        ok(await tenant.call('POST', `/v1/subscriptions/${device.id}/login`, { externalId: 'another' }), 200)
        // A dispatcher asks for the owner again when its answer is more than 100 ms old (docs/decisions/0030).
        await until(() => performance.now() - queuedAt > 200)
        return id
      } finally {
        signalAll([dispatcher], 'SIGCONT')
      }
    },
    sentence: /^Skipped at .*: the device belongs to another user than when its push was queued\.$/,
    step: 'audience',
    result: 'stop',
    says: /Belongs to user/,
  },
  {
    name: 'the text is empty once it is filled in',
    make: (device) => sendAndSettle(device, { content: { _default: 'en', en: { title: '{{ tags.none }}', body: ' {{ tags.none }} ' } } }),
    sentence: /^Skipped at .*: title and text are both empty after personalization\.$/,
    step: 'render',
    result: 'stop',
    says: /empty/,
  },
  {
    name: 'the push is too large once it is filled in',
    register: { tags: { long } },
    make: (device) =>
      sendAndSettle(device, {
        content: {
          _default: 'en',
          en: { title: 'T', body: 'B', url: 'https://shop.example/{{ tags.long }}', image: 'https://shop.example/{{ tags.long }}' },
        },
        data: { filler: '"'.repeat(1_000) },
      }),
    sentence: /^Failed at .* after \d tr(y|ies): payload_too_large \(\d+ bytes\)\.$/,
    step: 'size',
    result: 'stop',
    says: /Bytes\s*4,\d+ of 4,096/,
  },
  {
    name: 'the push was delivered and not opened',
    async make(device) {
      const id = await sendAndSettle(device)
      const { pushes } = await tenant.simulator<{ pushes: { msgId: string }[] }>('GET', `/pushes?deviceId=${device.device.id}`)
      ok(await tenant.call('POST', `/v1/e/d/${pushes[0]?.msgId}`), 204)
      return id
    },
    sentence: /^Sent at .*\.$/,
    step: 'device',
    result: 'pass',
    says: /The device reported: delivered\./,
  },
  {
    // This case is the last one, because afterwards no push of this app reaches APNs.
    name: 'the circuit is open',
    platform: 'ios',
    async make(device) {
      // The simulated APNs account gets another key, so it refuses what Herald signs from now on.
      const teamId = tenant.appId.slice(-10).toUpperCase()
      const keyId = teamId.split('').toReversed().join('')
      await tenant.simulator('POST', '/accounts', { kind: 'apns', teamId, keyId, bundleId: tenant.bundleId })
      return notify(device)
    },
    sentence: /^It has been on hold since .*: pushes to APNs fail with credentials_invalid/,
    step: 'provider',
    result: 'wait',
    says: /credentials_invalid/,
  },
]

// spec: dashboard/explain-stations, dashboard/explain-clocks, administration/explain-steps
test.each(cases)('$name: the page Explain names this reason in its sentence and at the right step, and shows no token', async (one) => {
  const [device] = await givenDevices(tenant, one.platform ?? 'android', 1, () => ({ externalId: one.name, ...one.register }))
  if (device === undefined) throw new Error('the simulator made no device')
  const campaignId = await one.make(device)
  const query = `campaignId=${campaignId}&subscriptionId=${device.id}`
  await until(
    async () => {
      const { devices } = ok(await tenant.admin<Explained>('GET', `/explain?${query}`), 200)
      return one.sentence.test(devices[0]?.sentence ?? '') || Promise.reject(new Error(devices[0]?.sentence))
    },
    { what: one.name },
  )

  const { page, watched } = await open(`/explain?${query}`)
  await page.locator('p[data-sentence]').waitFor()
  expect(await page.locator('p[data-sentence]').textContent()).toMatch(one.sentence)
  const station = page.locator(`[data-station="${one.step}"]`)
  expect(await station.getAttribute('data-result')).toBe(one.result)
  const text = await station.innerText()
  expect(text.replaceAll(/\s+/g, ' ')).toMatch(one.says)
  // Only the step that decided is open, and no other step is red.
  const stationsWith = (selector: string) =>
    page.locator(`[data-station]${selector}`).evaluateAll((found) => found.map((item) => item.getAttribute('data-station')))
  expect(await stationsWith(':has(details[open])')).toEqual([one.result === 'pass' ? 'provider' : one.step])
  expect(await stationsWith('[data-result="stop"]')).toEqual(one.result === 'stop' ? [one.step] : [])
  expect(await page.content()).not.toContain(device.device.token)
  expect(watched.faults).toEqual([])
})
