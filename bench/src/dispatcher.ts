import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { removeDataDir, startHerald, type Herald } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { readOptions, say } from './options.ts'
import { keep } from './results.ts'
import { measureProcesses } from './processes.ts'
import { median } from './report.ts'

const help = `npm run bench:dispatcher [-- --pushes 20000 --rounds 3 --devices 5000 --only ios --own --latency 50 --keep]

What the whole dispatcher costs for each push, beside the same dispatcher on the libraries (node-apn, firebase-admin, web-push): CPU time of its process from /proc, and its peak memory. Two platforms
run, one of each kind, and send the same notification to the same number of devices by turns. A push that is missing or came twice voids the run.
--own leaves the libraries out. --latency lets the simulated providers answer after so many milliseconds. --keep writes the result to bench/results.`

const values = readOptions(help, { pushes: 20_000, rounds: 3, devices: 5_000, only: '', own: false, latency: 0, keep: false })

type Kind = 'own' | 'library'
type Turn = { pushesPerSecond: number; cpuMicroseconds: number; peakRssMb: number }
type Side = { kind: Kind; herald: Herald; tenants: Map<string, Tenant> }

const { devices, pushes, rounds, latency: latencyMs } = values
const platforms = (['ios', 'android', 'web'] as const).filter((platform) => values.only === '' || platform === values.only)
const kinds: Kind[] = values.own ? ['own'] : ['own', 'library']
const sides: Side[] = []
const turns: Record<string, Turn[]> = {}
try {
  for (const kind of kinds) sides.push(await startSide(kind))
  // Each side sends once to each platform before anything is counted, because a process that has just started needs twice as much CPU.
  for (const platform of platforms) for (const side of sides) await takeTurn(side, platform)
  for (let round = 0; round < rounds; round += 1) {
    for (const platform of platforms) {
      for (const side of round % 2 ? sides.toReversed() : sides) {
        const turn = await takeTurn(side, platform)
        ;(turns[`${platform} ${side.kind}`] ??= []).push(turn)
        say(`${platform} ${side.kind}: ${turn.cpuMicroseconds.toFixed(1)} µs CPU a push, ${Math.round(turn.pushesPerSecond)} pushes/s`)
      }
    }
  }
} finally {
  for (const { herald } of sides) {
    await herald.stop()
    removeDataDir(herald.dataDir)
  }
}

const of = (name: string, value: keyof Turn) => median((turns[name] ?? []).map((turn) => turn[value]))
say(`${'dispatcher'.padEnd(18)}${'CPU µs/push'.padStart(12)}${'pushes/s'.padStart(10)}${'peak RSS MB'.padStart(13)}`)
for (const name of Object.keys(turns)) {
  const [cpu, rate] = [of(name, 'cpuMicroseconds').toFixed(1), String(Math.round(of(name, 'pushesPerSecond')))]
  say(`${name.padEnd(18)}${cpu.padStart(12)}${rate.padStart(10)}${String(of(name, 'peakRssMb')).padStart(13)}`)
}
/**
 * Gives the median ratio of the CPU time that the two sides took for each push of a platform. The ratio is computed within each round, because a busy
 * machine slows down both sides.
 */
const ratio = (platform: string): number =>
  median(
    (turns[`${platform} own`] ?? []).map(
      (turn, round) => turn.cpuMicroseconds / (turns[`${platform} library`]?.[round]?.cpuMicroseconds ?? NaN),
    ),
  )
if (!values.own) for (const platform of platforms) say(`${platform}: own / library ${ratio(platform).toFixed(3)} CPU`)
if (values.keep)
  keep(`dispatcher${latencyMs ? `-latency-${latencyMs}` : ''}`, { what: 'CPU of the dispatcher', devices, pushes, latencyMs, turns })

async function startSide(kind: Kind): Promise<Side> {
  const herald = await startHerald({ env: { LOG_LEVEL: 'warn', TRANSPORT: kind } })
  const side: Side = { kind, herald, tenants: new Map() }
  for (const platform of platforms) {
    const tenant = await givenTenant(herald)
    const made = await tenant.makeDevices(platform, devices, { keyPool: 64 })
    for (let from = 0; from < made.length; from += 500) {
      const { failed, errors } = await tenant.simulator<{ failed: number; errors: unknown[] }>('POST', '/crowd', {
        baseUrl: herald.baseUrl,
        appKey: tenant.publicKey,
        devices: made.slice(from, from + 500).map(({ id }) => id),
        externalIdPrefix: 'bench-',
        concurrency: 32,
      })
      if (failed > 0) throw new Error(`${failed} registrations failed: ${JSON.stringify(errors)}`)
    }
    side.tenants.set(platform, tenant)
  }
  return side
}

/** Sends one notification after the other to all devices, until at least the wanted number of pushes was sent. Gives what they cost. */
async function takeTurn({ herald, tenants }: Side, platform: string): Promise<Turn> {
  const tenant = tenants.get(platform)
  if (!tenant) throw new Error(`nobody is registered for ${platform}`)
  await tenant.simulator('POST', '/reset')
  await tenant.simulator('PUT', '/faults', { record: 'counts', latencyMs })
  const before = dispatcherOf(herald)
  const startedAt = performance.now()
  let sent = 0
  for (; sent < pushes; sent += devices) await sendToAll(tenant)
  const seconds = (performance.now() - startedAt) / 1000
  const after = dispatcherOf(herald)
  if (after.pid !== before.pid) throw new Error('void: the dispatcher was started again')
  return {
    pushesPerSecond: sent / seconds,
    cpuMicroseconds: ((after.cpuSeconds - before.cpuSeconds) * 1e6) / sent,
    peakRssMb: after.peakRssMb,
  }
}

async function sendToAll(tenant: Tenant): Promise<void> {
  const { body, status } = await tenant.call<{ id: string }>('POST', '/v1/notifications', {
    target: { all: true },
    content: {
      _default: 'en',
      en: { title: 'Hello {{ user.externalId }}', body: 'This is a push notification of a usual size for the test' },
    },
  })
  if (status !== 202) throw new Error(`the send was answered ${status}`)
  const stats = await until(
    async () => {
      const answer = await tenant.call<{ status: string; stats: Record<string, number> }>('GET', `/v1/campaigns/${body.id}/stats`)
      return answer.body.status === 'sent' && answer.body.stats
    },
    { withinMs: 600_000, what: 'sent' },
  )
  const accepted = (await tenant.simulator<{ accepted: { total: number } }>('GET', '/summary?open=false')).accepted.total
  if (stats['sent'] !== devices || accepted % devices !== 0) throw new Error(`void: ${JSON.stringify(stats)}, ${accepted} accepted`)
}

function dispatcherOf(herald: Herald): ReturnType<typeof measureProcesses>[number] {
  const pids = JSON.parse(readFileSync(join(herald.dataDir, 'processes.json'), 'utf8')) as Record<string, number>
  const found = measureProcesses(herald.dataDir).find(({ pid }) => pid === pids['dispatcher-1'])
  if (!found) throw new Error('there is no dispatcher')
  return found
}
