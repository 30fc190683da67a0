import { setTimeout as sleep } from 'node:timers/promises'
import { givenManyDevices, type Registered } from '../crowd.ts'
import { onDatabase, onPlatform, type Platform } from '../platform.ts'
import { runningProcesses, signalAll } from '../processes.ts'
import { seeded } from '../random.ts'
import type { Scenario, Scene } from '../scenario.ts'
import { checkSends, send, untilAllSettled } from '../sends.ts'
import type { Campaign } from '../scenario-result.ts'

const notifications = 200
const clients = 8
/** The default of DISPATCH_WINDOW, and so how many copies the kill of one dispatcher may cause at most. */
const window = 1_000
const apps = ['gateway', 'audience', 'campaigns', 'dispatcher', 'tracker', 'webhooks'] as const

export const killAll: Scenario = {
  needsSixProcesses: true,
  promise:
    'While the services are killed in turn, one every 1 to 3 s, every send that was answered 202 reaches `sent` with exact counters, and each Idempotency-Key makes one campaign.',
  async run(scene) {
    await onPlatform({ LOG_LEVEL: 'warn' }, async (platform) => {
      const devices = await givenManyDevices(platform, scene.devices)
      for (const seed of scene.seeds) {
        scene.say(`  seed ${seed}`)
        await playSeed(scene, platform, devices, seed)
      }
    })
  },
}

async function playSeed(scene: Scene, platform: Platform, devices: Registered[], seed: number): Promise<void> {
  const { tenant } = platform
  await tenant.simulator('POST', '/reset')
  await tenant.simulator('PUT', '/faults', { providerTokenUpdates: 1_000 })
  let posting = true
  const kills: string[] = []
  const killing = killInTurn(platform, seed, () => posting, kills)
  const campaigns = await postFromClients(platform, devices, seed).finally(() => (posting = false))
  await killing
  scene.say(`  ${kills.join(', ')}`)

  const seconds = await untilAllSettled(tenant, campaigns)
  const dispatchersKilled = kills.filter((name) => name.startsWith('dispatcher')).length
  await checkSends(scene, tenant, campaigns, dispatchersKilled * window, `seed ${seed}: `)
  const made = await countCampaigns(platform, `kill-all-${seed}-%`)
  scene.note({ [`seed ${seed}: kills`]: kills.length, [`seed ${seed}: secondsToSettle`]: seconds, [`seed ${seed}: campaignsMade`]: made })
  scene.check(made === notifications, `seed ${seed}: ${made} campaigns were made for ${notifications} keys`)
  scene.check(kills.length >= apps.length, `seed ${seed}: only ${kills.length} kills`)
}

/** Lets each client post its share of the sends, with a second between two. A send that is not accepted is repeated with its Idempotency-Key. */
async function postFromClients({ tenant }: Platform, devices: Registered[], seed: number): Promise<Campaign[]> {
  const share = Math.floor(devices.length / notifications)
  const campaigns: Campaign[] = []
  const client = async (first: number) => {
    for (let number = first; number < notifications; number += clients) {
      const some = devices.slice(number * share, (number + 1) * share)
      const target = { subscriptionIds: some.map(({ subscriptionId }) => subscriptionId) }
      campaigns.push(await send(tenant, `kill-all-${seed}-${number}`, some, { target }))
      await sleep(1_000)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, first) => client(first)))
  return campaigns
}

async function killInTurn({ herald }: Platform, seed: number, goesOn: () => boolean, kills: string[]): Promise<void> {
  const random = seeded(seed)
  let turn: string[] = []
  while (goesOn()) {
    await sleep(random.between(1_000, 3_000))
    if (turn.length === 0) turn = [...apps]
    const app = random.pick(turn)
    turn = turn.filter((name) => name !== app)
    const pid = runningProcesses(herald.dataDir).get(`${app}-1`)
    if (pid === undefined) continue
    signalAll([pid], 'SIGKILL')
    kills.push(app)
  }
}

const countCampaigns = ({ herald, tenant }: Platform, keys: string): Promise<number> =>
  onDatabase(herald, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from campaigns.campaigns where app_id = $1 and content->'en'->>'title' like $2`,
      [tenant.appId, keys],
    )
    return rows[0]?.count ?? 0
  })
