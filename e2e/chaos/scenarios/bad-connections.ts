import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Herald } from '@herald/testing/herald'
import type { Tenant } from '@herald/testing/tenant'
import { givenManyDevices, type Registered } from '../crowd.ts'
import { onPlatform } from '../platform.ts'
import type { Scenario } from '../scenario.ts'
import { checkSends, send, untilAllSettled } from '../sends.ts'
import type { Campaign } from '../scenario-result.ts'

/** A trouble with the connections during one send. It begins with the send and lasts until the send is settled, or for `forMs` milliseconds. */
type Trouble = { name: string; faults?: Record<string, unknown>; lossPercent?: number; forMs?: number }

const troubles: Trouble[] = [
  { name: 'connections refused for 3 s', faults: { outage: 'refuse' }, forMs: 3_000 },
  { name: 'GOAWAY every 500 requests', faults: { goawayEvery: 500 } },
  { name: '1 % of the streams refused', faults: { refuseStreamShare: 0.01 } },
  { name: '1 % of the streams reset', faults: { resetStreamShare: 0.01 } },
  { name: 'windows stalled for 3 s', faults: { stallWindows: true }, forMs: 3_000 },
  { name: 'answers after 50 ms', faults: { latencyMs: 50 } },
  { name: '3 % of the packets lost', lossPercent: 3 },
]
const healthy = { outage: null, goawayEvery: 0, refuseStreamShare: 0, resetStreamShare: 0, stallWindows: false, latencyMs: 0 }

export const badConnections: Scenario = {
  promise:
    'Connections refused, GOAWAY every 500 requests, 1 % of the streams refused, 1 % reset, stalled windows, slow answers, 3 % of the packets lost: each costs no push and no copy, and the send after it is more than half as fast as the one before. (Needs root and iptables: packets are lost in a network of its own.)',
  ownNetwork: true,
  async run(scene) {
    const { check, note } = scene
    await onPlatform({ LOG_LEVEL: 'warn' }, async ({ herald, tenant }) => {
      const devices = await givenManyDevices({ herald, tenant }, Math.min(scene.devices, 15_000))
      const campaigns: Campaign[] = []
      // The first send of a platform that has just started is slow, so it is not compared.
      await timeSend(tenant, devices, 'first', campaigns)
      for (const trouble of troubles) {
        const before = await timeSend(tenant, devices, `before ${trouble.name}`, campaigns)
        const end = begin(trouble, herald)
        await tenant.simulator('PUT', '/faults', trouble.faults ?? {})
        const ended = trouble.forMs === undefined ? undefined : after(trouble.forMs, () => tenant.simulator('PUT', '/faults', healthy))
        const during = await timeSend(tenant, devices, trouble.name, campaigns)
        await ended
        const packetsLost = end()
        await tenant.simulator('PUT', '/faults', healthy)
        const afterwards = await timeSend(tenant, devices, `after ${trouble.name}`, campaigns)
        note({ [`${trouble.name}: pushes/s before, during, after`]: [before, during, afterwards] })
        if (trouble.lossPercent !== undefined) {
          note({ packetsLost })
          check(packetsLost > 0, 'no packet was lost')
        }
        check(afterwards > before / 2, `${trouble.name}: ${afterwards} pushes/s afterwards, ${before} before`)
      }
      await checkSends(scene, tenant, campaigns, 0)
    })
  },
}

/** Sends to all devices, and gives the pushes per second from the POST until the send is settled. */
async function timeSend(tenant: Tenant, devices: readonly Registered[], name: string, campaigns: Campaign[]): Promise<number> {
  const startedAt = performance.now()
  const campaign = await send(tenant, name, devices)
  campaigns.push(campaign)
  await untilAllSettled(tenant, [campaign])
  return Math.round(devices.length / ((performance.now() - startedAt) / 1_000))
}

/** Makes the network lose packets from and to the simulator. Gives a function that ends the loss and gives the number of lost packets. */
function begin({ lossPercent }: Trouble, herald: Herald): () => number {
  if (lossPercent === undefined) return () => 0
  const rule = (ends: 'dport' | 'sport', port: number) => [
    ...['INPUT', '-p', 'tcp', `--${ends}`, String(port)],
    ...['-m', 'statistic', '--mode', 'random', '--probability', String(lossPercent / 100), '-j', 'DROP'],
  ]
  const rules = portsOfSimulator(herald).flatMap((port) => [rule('dport', port), rule('sport', port)])
  for (const each of rules) execFileSync('iptables', ['-A', ...each])
  return () => {
    const counted = execFileSync('iptables', ['-nvxL', 'INPUT'], { encoding: 'utf8' })
    for (const each of rules) execFileSync('iptables', ['-D', ...each])
    return [...counted.matchAll(/^ *(\d+) +\d+ +DROP/gm)].reduce((sum, [, packets]) => sum + Number(packets), 0)
  }
}

/** Reads the ports of the simulated providers, without the port of the simulator's control API. */
function portsOfSimulator({ dataDir }: Herald): number[] {
  const { simulator } = JSON.parse(readFileSync(join(dataDir, 'ports.json'), 'utf8')) as { simulator: Record<string, number> }
  const { control: _control, ...services } = simulator
  return Object.values(services)
}

async function after(milliseconds: number, then: () => Promise<unknown>): Promise<void> {
  await sleep(milliseconds)
  await then()
}
