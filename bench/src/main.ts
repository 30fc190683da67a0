import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { removeDataDir, startHerald, type Herald } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { aboutThisRun } from './about-this-run.ts'
import { measureProcesses, type ProcessUse } from './processes.ts'
import { median, report, type Round } from './report.ts'

const root = resolve(import.meta.dirname, '../..')
const help = `npm run bench -- [--devices 20000] [--rounds 5] [--mix mixed|ios|android|web] [--keep]

Registers the devices at a platform of its own, sends one notification to all of them per round, and measures from the
POST to the last push the simulator accepted. --keep writes the result to bench/results/. Run it on a quiet machine.`

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '5' },
    mix: { type: 'string', default: 'mixed' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write(`${help}\n`)
  process.exit(0)
}

const say = (line: string) => process.stdout.write(`${line}\n`)
const herald = await startHerald({ env: { LOG_LEVEL: 'warn' } })
try {
  const count = Number(values.devices)
  const tenant = await givenTenant(herald)
  const registered = await registerCrowd(herald, tenant, count, values.mix)
  say(
    `registered ${registered.count} devices in ${registered.seconds.toFixed(1)} s (${Math.round(registered.count / registered.seconds)}/s)`,
  )
  const rounds: Round[] = []
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    rounds.push(await sendRound(herald, tenant, registered.count))
    const last = rounds.at(-1)!
    say(`round ${round}: ${last.seconds.toFixed(2)} s, ${Math.round(last.pushesPerSecond)} pushes/s`)
  }
  const result = {
    what: `${count} devices, ${values.mix}, one notification to all`,
    ...aboutThisRun(),
    registrationsPerSecond: Math.round(registered.count / registered.seconds),
    pushesPerSecond: {
      median: Math.round(median(rounds.map(({ pushesPerSecond }) => pushesPerSecond))),
      rounds: rounds.map(({ pushesPerSecond }) => Math.round(pushesPerSecond)),
    },
    rounds,
  }
  for (const line of report(rounds)) say(line)
  if (values.keep) {
    const directory = join(root, 'bench/results')
    mkdirSync(directory, { recursive: true })
    const file = join(directory, `send-${values.mix}-${count}-${result.at.slice(0, 10)}-${result.commit}.json`)
    writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
    say(`kept in ${file}`)
  }
} finally {
  await herald.stop()
  removeDataDir(herald.dataDir)
}

async function registerCrowd(herald: Herald, tenant: Tenant, count: number, mix: string): Promise<{ count: number; seconds: number }> {
  const kinds = mix === 'mixed' ? (['ios', 'android', 'web'] as const) : ([mix] as ('ios' | 'android' | 'web')[])
  const devices: string[] = []
  for (const [index, platform] of kinds.entries()) {
    const share = Math.floor(count / kinds.length) + (index < count % kinds.length ? 1 : 0)
    devices.push(...(await tenant.makeDevices(platform, share, { keyPool: 64 })).map(({ id }) => id))
  }
  const startedAt = performance.now()
  for (let from = 0; from < devices.length; from += 2_000) {
    const { failed, errors } = await tenant.simulator<{ failed: number; errors: unknown[] }>('POST', '/crowd', {
      baseUrl: herald.baseUrl,
      appKey: tenant.publicKey,
      devices: devices.slice(from, from + 2_000),
      externalIdPrefix: 'bench-',
      concurrency: 32,
    })
    if (failed > 0) throw new Error(`${failed} registrations failed: ${JSON.stringify(errors)}`)
  }
  return { count: devices.length, seconds: (performance.now() - startedAt) / 1000 }
}

/** One send to all; an error, a copy or a shortfall voids the run. */
async function sendRound(herald: Herald, tenant: Tenant, expected: number): Promise<Round> {
  await tenant.simulator('POST', '/reset')
  const before = measureProcesses(herald.dataDir)
  const postedAt = performance.timeOrigin + performance.now()
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
  const settledAt = performance.timeOrigin + performance.now()
  const after = measureProcesses(herald.dataDir)
  const summary = await tenant.simulator<{ accepted: { total: number }; copies: number; lastAcceptedAt: number }>('GET', '/summary')
  if (stats['sent'] !== expected || summary.accepted.total !== expected || summary.copies !== 0) {
    throw new Error(`void: expected ${expected}, stats ${JSON.stringify(stats)}, simulator ${JSON.stringify(summary)}`)
  }
  const seconds = (summary.lastAcceptedAt - postedAt) / 1000
  return {
    pushes: expected,
    seconds,
    secondsToSettled: (settledAt - postedAt) / 1000,
    pushesPerSecond: expected / seconds,
    processes: perPush(before, after, expected),
  }
}

function perPush(before: ProcessUse[], after: ProcessUse[], pushes: number): Round['processes'] {
  return after.map(({ name, pid, cpuSeconds, peakRssMb }) => {
    const earlier = before.find((one) => one.pid === pid)?.cpuSeconds ?? 0
    return { name, cpuMicrosecondsPerPush: Math.round(((cpuSeconds - earlier) * 1e6 * 10) / pushes) / 10, peakRssMb }
  })
}
