import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { givenManyDevices, type Registered } from '../crowd.ts'
import { onDatabase, onPlatform, type Platform } from '../platform.ts'
import type { Scenario, Scene } from '../scenario.ts'
import { recordedPushes, campaignOf, type Campaign } from '../scenario-result.ts'
import { send, untilAllSettled } from '../sends.ts'

/** A healthy device gets its push within this time after the POST, whatever the bad ones are answered. */
const healthyWithin = 5
/** A campaign with bad devices ends within this time: their attempts take about 6 s. */
const settledWithin = 60
const campaigns = 3

export const oneBadRecipient: Scenario = {
  promise:
    'An answer about one recipient never stops the others: a token of another platform among 1,000 phones, and browsers of an old key beside healthy ones, are invalidated by the third campaign at the latest, and nobody else waits. When all are refused the circuit opens, and nobody is invalidated.',
  async run(scene) {
    await onPlatform({ LOG_LEVEL: 'warn' }, async ({ herald }) => {
      const givenApp = async () => ({ herald, tenant: await givenTenant(herald) })
      await withBad(scene, await givenApp(), '1 token of another platform among 1,000', { android: [1, 999] })
      for (const counts of [
        [21, 200],
        [40, 3],
        [1, 1],
      ] as const)
        await withBad(scene, await givenApp(), `${counts[0]} browsers of an old key beside ${counts[1]}`, { web: counts })
      await withWrongCredentials(scene, await givenApp())
    })
  },
}

type Counts = readonly [bad: number, healthy: number]

async function withBad(
  scene: Scene,
  platform: Platform,
  name: string,
  { android, web }: { android?: Counts; web?: Counts },
): Promise<void> {
  const { note, check } = scene
  const { tenant } = platform
  const [bad, healthy] = android
    ? await givenBoth(platform, android, 'android', { behaviour: { answer: 'known', known: 'fcm third party auth error' } })
    : await givenBoth(platform, web ?? [0, 0], 'web', { applicationServerKey: anotherKey() })
  const all = [...bad, ...healthy]
  const found: { seconds: number; healthyP99: number; invalidated: number }[] = []
  const sent: Campaign[] = []
  for (let number = 0; number < campaigns; number += 1) {
    const startedAt = Date.now()
    const reachable = all.filter((device) => number === 0 || !bad.includes(device) || (found.at(-1)?.invalidated ?? 0) === 0)
    const campaign = await send(tenant, `${name}-${number}`, reachable)
    const seconds = await untilAllSettled(tenant, [campaign])
    sent.push(campaign)
    found.push({
      seconds,
      healthyP99: await p99Of(tenant, campaign.id, healthy, startedAt),
      invalidated: await countInvalidated(platform, bad),
    })
  }
  note({ [name]: found })
  for (const [number, one] of found.entries()) {
    check(one.healthyP99 <= healthyWithin, `${name}, campaign ${number + 1}: the p99 of the healthy devices is ${one.healthyP99} s`)
    check(one.seconds <= settledWithin, `${name}, campaign ${number + 1}: it settled after ${one.seconds} s`)
  }
  check(found.at(-1)?.invalidated === bad.length, `${name}: ${found.at(-1)?.invalidated} of ${bad.length} bad devices are invalidated`)
  check((await countInvalidated(platform, healthy)) === 0, `${name}: healthy devices are invalidated`)
  check(
    sent.every(({ status }) => status === 'sent'),
    `${name}: a campaign did not settle`,
  )
  const states = await circuitStates(platform)
  check(!states.includes('open'), `${name}: a circuit is open`)
}

/** Everybody is refused: the circuit opens and holds the pushes, and no device is invalidated. With the right key everything is sent. */
async function withWrongCredentials(scene: Scene, platform: Platform): Promise<void> {
  const { note, check } = scene
  const { tenant } = platform
  const devices = await givenManyDevices(platform, 200, ['web'])
  await tenant.simulator('PUT', '/devices/behaviour', { answer: 'known', known: 'web other key, Firefox', platform: 'web' })
  const campaign = await send(tenant, 'all-refused', devices)
  const startedAt = performance.now()
  let states: string[] = []
  while (!states.includes('open') && performance.now() - startedAt < 30_000) {
    states = await circuitStates(platform)
    await sleep(200)
  }
  note({ 'all refused': { states, invalidated: await countInvalidated(platform, devices) } })
  check(states.includes('open'), 'all are refused, and no circuit is open')
  await tenant.simulator('PUT', '/devices/behaviour', { answer: 'ok', platform: 'web' })
  await tenant.admin('POST', '/providers/webpush/probe')
  await untilAllSettled(tenant, [campaign])
  check(
    campaign.stats.sent === devices.length,
    `${campaign.stats.sent} of ${devices.length} are sent with the right key: ${JSON.stringify(campaign.stats)}`,
  )
  check((await countInvalidated(platform, devices)) === 0, 'devices are invalidated by wrong credentials')
}

async function givenBoth(
  platform: Platform,
  [bad, healthy]: Counts,
  kind: 'android' | 'web',
  options: Record<string, unknown>,
): Promise<[Registered[], Registered[]]> {
  return [await givenManyDevices(platform, bad, [kind], options), await givenManyDevices(platform, healthy, [kind], {}, bad)]
}

function anotherKey(): string {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  return Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]).toString('base64url')
}

/** Gives within how many seconds 99 % of the devices got their push; a device that got none counts as an hour. */
async function p99Of(tenant: Tenant, campaignId: string, devices: readonly Registered[], startedAt: number): Promise<number> {
  const at = new Map<string, number>()
  for await (const push of recordedPushes(tenant)) if (campaignOf(push.msgId) === campaignId) at.set(push.deviceId, push.at)
  const seconds = devices.map(({ id }) => ((at.get(id) ?? startedAt + 3_600_000) - startedAt) / 1_000).toSorted((one, other) => one - other)
  return Math.round((seconds[Math.ceil(0.99 * seconds.length) - 1] ?? 0) * 1_000) / 1_000
}

const circuitStates = async ({ tenant }: Platform): Promise<string[]> => {
  const all = await Promise.all(
    ['fcm', 'webpush'].map((kind) => tenant.admin<{ circuits?: { state: string }[] }>('GET', `/providers/${kind}`)),
  )
  return all.flatMap(({ body }) => (body.circuits ?? []).map(({ state }) => state))
}

const countInvalidated = ({ herald }: Platform, devices: readonly Registered[]): Promise<number> =>
  onDatabase(herald, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::int as count from audience.subscriptions where id = any($1) and invalidated_at is not null',
      [devices.map(({ subscriptionId }) => subscriptionId)],
    )
    return rows[0]?.count ?? -1
  })
