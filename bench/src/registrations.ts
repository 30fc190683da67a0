// Measures how long a registration takes and how much CPU it costs: npm run bench:registrations -- --help
import { randomBytes } from 'node:crypto'
import { makeManyDevices } from '@herald/testing/many-devices'
import { givenTenant, type Device, type Tenant } from '@herald/testing/tenant'
import { readOptions, say } from './options.ts'
import { keep } from './results.ts'
import { registerDevices } from './crowd.ts'
import { readWal } from './database-use.ts'
import { startMeasuredHerald } from './measured-herald.ts'
import { cpuBetween, measureProcesses } from './processes.ts'
import type { PostResult } from './poster.ts'
import { startPoster } from './start-poster.ts'
import { perThing, readStatements, statementLines, statementsBetween } from './statements.ts'

const help = `npm run bench:registrations -- [--devices 20000] [--prefill 1000000] [--statements] [--keep]

Registers --devices new devices with a user each, 32 at once over connections that stay open, from a process of its own: first into empty tables, then, without
a restart, into the same tables after --prefill devices more have come in by SQL (0: not at all). Each time: registrations a second over all of them and
over the first and the last tenth, and CPU by process. The simulator's own crowd registers as many as a tenth, to show what that way takes.
--statements adds what each statement cost (pg_stat_statements). --keep writes the result to bench/results/. Run it on a quiet machine.`

const values = readOptions(help, { devices: 20_000, prefill: 1_000_000, statements: false, keep: false })
const { devices: count, prefill } = values
const tenth = Math.ceil(count / 10)

const herald = await startMeasuredHerald({ statements: values.statements })
const poster = startPoster()
try {
  const tenant = await givenTenant(herald)
  const empty = await measure(tenant, 'from empty tables', newDevices(count))
  const crowd = await throughCrowd(tenant)
  let filled: Measured | undefined
  if (prefill > 0) {
    const seconds = await makeManyDevices(herald.databaseUrl('audience'), { appId: tenant.appId, count: prefill })
    // Postgres writes the changed pages to the disk before the next measurement. The rows came within minutes, an installation's within months, so
    // their writes must not count as a cost of the registrations.
    await herald.database.query('checkpoint')
    say(`${prefill} devices came in by SQL in ${seconds.toFixed(0)} s`)
    filled = await measure(tenant, `after ${prefill} devices more`, newDevices(count))
  }
  const result = { what: `${count} registrations, 32 at once`, empty, crowd, prefill, ...(filled && { filled }) }
  const name = ['registrations', ...(values.statements ? ['statements'] : []), String(count), `after-${prefill}`].join('-')
  if (values.keep) keep(name, result)
} finally {
  poster.stop()
  await herald.end()
}

type Measured = Awaited<ReturnType<typeof measure>>

/** Makes devices of iOS and Android in turn, with new tokens. The simulator need not have them, because nothing is sent. */
function newDevices(howMany: number): Device[] {
  return Array.from({ length: howMany }, (_, n) => {
    const id = randomBytes(8).toString('hex')
    return n % 2 === 0
      ? { id, platform: 'ios', token: randomBytes(32).toString('hex') }
      : { id, platform: 'android', token: `${randomBytes(11).toString('hex')}:APA91b${randomBytes(67).toString('hex')}` }
  })
}

/** Registers devices in three parts (a tenth, eight tenths and a tenth), so that the end can be compared with the beginning. */
async function measure(tenant: Tenant, where: string, devices: Device[]) {
  const statementsBefore = values.statements ? await readStatements(herald.database) : []
  const [rowsBefore, walBefore] = [await countDevices(tenant), await readWal(herald.database)]
  const before = measureProcesses(herald.dataDir)
  const parts: PostResult[] = []
  for (const part of [devices.slice(0, tenth), devices.slice(tenth, -tenth), devices.slice(-tenth)])
    if (part.length > 0) parts.push(await registerDevices(herald, tenant, poster, part))
  const cpu = cpuBetween(before, measureProcesses(herald.dataDir), devices.length * 1000)
  const made = (await countDevices(tenant)) - rowsBefore
  if (made !== devices.length) throw new Error(`void: ${devices.length} registrations made ${made} devices`)

  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0)
  const rateOf = (part = parts[0]) => Math.round((part?.posted ?? 0) / (part?.seconds ?? 1))
  delete cpu['simulator']
  const result = {
    perSecond: Math.round(devices.length / seconds),
    firstTenthPerSecond: rateOf(),
    lastTenthPerSecond: rateOf(parts.at(-1)),
    answeredMs: { p50: parts.at(-1)?.answeredMs.p50, p99: Math.max(...parts.map(({ answeredMs }) => answeredMs.p99)) },
    cpuMsEach: cpu,
    cpuMsEachInAll: Object.values(cpu).reduce((sum, ms) => sum + ms, 0),
    /** The CPU time of the process that posts, which shows whether that process limited the rate. */
    posterCpuMsEach: (parts.reduce((sum, part) => sum + part.cpuSeconds, 0) * 1000) / devices.length,
    walBytesEach: ((await readWal(herald.database)) - walBefore) / devices.length,
    ...(values.statements && {
      statements: perThing(statementsBetween(statementsBefore, await readStatements(herald.database)), devices.length),
    }),
  }
  const { perSecond, firstTenthPerSecond, lastTenthPerSecond, cpuMsEachInAll, posterCpuMsEach, walBytesEach, answeredMs } = result
  say(`${where}: ${perSecond}/s (first tenth ${firstTenthPerSecond}, last ${lastTenthPerSecond}), p99 ${answeredMs.p99.toFixed(0)} ms`)
  say(
    `  ${cpuMsEachInAll.toFixed(3)} ms CPU each, ${Math.round(walBytesEach)} bytes of WAL; asking took ${posterCpuMsEach.toFixed(3)} ms each`,
  )
  for (const [name, ms] of Object.entries(cpu)) say(`  ${name.padEnd(14)}${ms.toFixed(3).padStart(8)} ms CPU each`)
  if (result.statements) for (const line of statementLines(result.statements, 'registration')) say(line)
  return result
}

/** Registers devices through the simulator, 32 at once. The bench of the dispatcher registers its devices like this. */
async function throughCrowd(tenant: Tenant) {
  const devices = (await tenant.makeDevices('ios', tenth)).map(({ id }) => id)
  const before = measureProcesses(herald.dataDir)
  const startedAt = performance.now()
  for (let from = 0; from < devices.length; from += 1_000) {
    const { failed } = await tenant.simulator<{ failed: number }>('POST', '/crowd', {
      baseUrl: herald.baseUrl,
      appKey: tenant.publicKey,
      devices: devices.slice(from, from + 1_000),
      externalIdPrefix: 'crowd-',
      concurrency: 32,
    })
    if (failed > 0) throw new Error(`void: ${failed} registrations of the crowd failed`)
  }
  const perSecond = Math.round(devices.length / ((performance.now() - startedAt) / 1000))
  const { simulator = 0 } = cpuBetween(before, measureProcesses(herald.dataDir), devices.length * 1000)
  say(`by the simulator's crowd: ${perSecond}/s, asking took ${simulator.toFixed(3)} ms each`)
  return { perSecond, simulatorCpuMsEach: simulator }
}

async function countDevices({ appId }: Tenant): Promise<number> {
  const { rows } = await herald.database.query<{ n: string }>('select count(*) as n from audience.subscriptions where app_id = $1', [appId])
  return Number(rows[0]?.n)
}
