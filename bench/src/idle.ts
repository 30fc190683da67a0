// Measures the CPU and memory of one Herald while nothing is sent, and the CPU of the first send of new processes: npm run bench:idle -- --help
import { setTimeout as wait } from 'node:timers/promises'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { fillDevices } from './crowd.ts'
import { startMeasuredHerald } from './measured-herald.ts'
import { readOptions, say } from './options.ts'
import { cpuBetween, measureProcesses, processesOf, sharedMemoryOf, switchesOf } from './processes.ts'
import { median } from './report.ts'
import { keep } from './results.ts'
import { heraldSends, sendRound, type Contender } from './send-round.ts'
import { readStatements, statementsBetween } from './statements.ts'

const help = `npm run bench:idle -- [--seconds 30] [--rest 20] [--devices 5000] [--sends 10] [--first 0] [--statements] [--keep]

Starts Herald as npm start does, sends --sends notifications to --devices devices, waits --rest seconds, and measures for --seconds what each
process burns: CPU in milliseconds a second, how often its threads woke up, and its memory (RSS, and PSS, which shares common pages).
Works with any processes of <data>/processes.json, such as the one of HERALD_PROCESSES=1.

--first       afterwards starts the services anew so many times, and compares the CPU of the first send of the new processes with the second's.
--statements  adds the statements that ran meanwhile (pg_stat_statements).
--keep        writes the result to bench/results/.`

const values = readOptions(help, { seconds: 30, rest: 20, devices: 5_000, sends: 10, first: 0, statements: false, keep: false })
const { devices, seconds } = values
/** Processes that are no part of what an operator runs beside Postgres. */
const beside = new Set(['postgres', 'simulator'])

const herald = await startMeasuredHerald({ statements: values.statements })
try {
  const tenant = await givenTenant(herald)
  await fillDevices(herald.databaseUrl('audience'), tenant, { platform: 'ios', count: devices })
  const contender = heraldSends(herald, tenant)
  const cost = () => costOfSend(contender, tenant)
  for (let sent = 0; sent < values.sends; sent += 1) await contender.send()
  await wait(values.rest * 1_000)
  const idle = values.seconds > 0 ? await measureIdle() : null
  const first = []
  for (let round = 1; round <= values.first; round += 1) {
    await startAnew()
    first.push({ first: await cost(), second: await cost(), third: await cost() })
    say(`new processes ${round}: ${JSON.stringify(first.at(-1))}`)
  }
  const ratios = first.map((one) => one.first.withPostgres / one.second.withPostgres)
  if (first.length > 0) say(`first send / second: ${median(ratios).toFixed(2)} (median)`)
  if (values.keep)
    keep(`idle-${services().length}`, { what: `an idle platform, after ${values.sends} sends to ${devices} devices`, seconds, idle, first })
} finally {
  await herald.end()
}

function services(): [pid: number, name: string][] {
  return [...processesOf(herald.dataDir)].filter(([, name]) => !beside.has(name) && name !== 'nats-server')
}

async function measureIdle() {
  const statementsBefore = values.statements ? await readStatements(herald.database) : []
  const [startedAt, before, switchesBefore] = [performance.now(), measureProcesses(herald.dataDir), switchesOf(herald.dataDir)]
  await wait(seconds * 1_000)
  const took = (performance.now() - startedAt) / 1_000
  const [after, switchesAfter] = [measureProcesses(herald.dataDir), switchesOf(herald.dataDir)]
  const cpu = cpuBetween(before, after, took * 1_000)
  const processes = after.map(({ name, pid, rssMb }) => ({
    name,
    cpuMsPerSecond: cpu[name] ?? 0,
    wakesPerSecond: ((switchesAfter.get(pid) ?? 0) - (switchesBefore.get(pid) ?? 0)) / took,
    rssMb,
    pssMb: sharedMemoryOf(pid),
  }))
  const counted = processes.filter(({ name }) => !beside.has(name))
  const sum = (of: (one: (typeof processes)[number]) => number) => counted.reduce((total, one) => total + of(one), 0)
  const all = {
    name: 'without these two',
    cpuMsPerSecond: sum((one) => one.cpuMsPerSecond),
    wakesPerSecond: sum((one) => one.wakesPerSecond),
    rssMb: sum((one) => one.rssMb),
    pssMb: sum((one) => one.pssMb),
  }
  say(`${'idle'.padEnd(20)}${'CPU ms/s'.padStart(10)}${'wakes/s'.padStart(10)}${'RSS MB'.padStart(10)}${'PSS MB'.padStart(10)}`)
  for (const one of [...counted, ...processes.filter(({ name }) => beside.has(name)), all]) {
    const figures = [one.cpuMsPerSecond, one.wakesPerSecond, one.rssMb, one.pssMb].map((figure) => figure.toFixed(1).padStart(10))
    say(`${one.name.padEnd(20)}${figures.join('')}`)
  }
  if (values.statements) {
    for (const { app, calls, text } of statementsBetween(statementsBefore, await readStatements(herald.database)))
      say(`${(calls / took).toFixed(2).padStart(8)} a second  ${app}: ${text.replaceAll(/\s+/g, ' ').slice(0, 160)}`)
  }
  return { processes, all }
}

/** Asks every service to stop, which the starter answers with new processes, and waits until these are up and quiet. */
async function startAnew(): Promise<void> {
  const former = services()
  for (const [pid] of former) process.kill(pid, 'SIGTERM')
  const names = () => services().filter(([pid]) => former.every(([earlier]) => earlier !== pid))
  await until(() => names().length === former.length, { withinMs: 30_000, what: 'new processes' })
  await until(async () => (await fetch(`${herald.baseUrl}/health`)).status === 200, { withinMs: 30_000, what: 'health' })
  await wait(5_000)
}

/** Gives the CPU of one send to all devices until every outcome is counted, in milliseconds. */
async function costOfSend(contender: Contender, tenant: Tenant) {
  const round = await sendRound(contender, { herald, tenant }, devices)
  if (round.void !== null) throw new Error(`void: ${round.void}`)
  const processes = Object.fromEntries(
    Object.entries(round.cpuMicrosecondsPerPush).map(([name, microseconds]) => [name, Math.round((microseconds * devices) / 1_000)]),
  )
  const withPostgres = Object.values(processes).reduce((sum, one) => sum + one, 0)
  return { withPostgres, ...processes }
}
