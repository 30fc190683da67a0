// Measures what further dispatchers bring: node bench/src/scale.ts --help
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { fillDevices } from './crowd.ts'
import { startMeasuredHerald } from './measured-herald.ts'
import { readOptions, say } from './options.ts'
import { processesOf } from './processes.ts'
import { median, type Round } from './report.ts'
import { keep } from './results.ts'
import { heraldSends, sendRound } from './send-round.ts'

const help = `npm run bench:scale -- [--devices 100000] [--rounds 3] [--latency 400] [--dispatchers 1,2,4,6] [--keep]

Sends to all devices (iOS) with 1, 2, 4 and 6 dispatchers, in turn, at providers that answer after --latency ms: a dispatcher then waits more than it
works, so that two cores show what many machines do. Claims, or it exits with 1: with k dispatchers at least 0.9 × k times the pushes a second of one,
a push costs the same CPU to 10 %, and accepted = distinct = counted. --keep writes the result to bench/results/. Run it on a quiet machine.`

const values = readOptions(help, { devices: 100_000, rounds: 3, latency: 400, dispatchers: '1,2,4,6', keep: false })
const { devices: count, latency: latencyMs } = values
const counts = values.dispatchers.split(',').map(Number)
/** As the chart sets it: eight places for each of the most dispatchers, in whole machines. */
const bulkWindow = 64

const rounds = new Map<number, Round[]>(counts.map((dispatchers) => [dispatchers, []]))
for (let number = 1; number <= values.rounds; number += 1) {
  for (const dispatchers of counts) {
    const round = await measure(dispatchers)
    rounds.get(dispatchers)?.push(round)
    const told =
      round.void === null ? `${Math.round(round.pushesPerSecond)} pushes/s, ${cpuOf(round).toFixed(0)} µs a push` : `void: ${round.void}`
    say(`round ${number}, ${dispatchers} dispatchers: ${told}`)
  }
}

const figures = counts.map((dispatchers) => {
  const counted = (rounds.get(dispatchers) ?? []).filter((round) => round.void === null)
  return {
    dispatchers,
    rounds: counted.length,
    pushesPerSecond: Math.round(median(counted.map(({ pushesPerSecond }) => pushesPerSecond))),
    cpuMicrosecondsPerPush: Math.round(median(counted.map(cpuOf)) * 10) / 10,
  }
})
const [one] = figures
const failures = figures.flatMap(({ dispatchers, rounds: counted, pushesPerSecond, cpuMicrosecondsPerPush: cpu }) => {
  const wanted = 0.9 * (dispatchers / (one?.dispatchers ?? 1)) * (one?.pushesPerSecond ?? 0)
  const dearer = cpu / (one?.cpuMicrosecondsPerPush ?? 1)
  return [
    ...(counted < values.rounds ? [`${dispatchers} dispatchers: ${values.rounds - counted} rounds do not count`] : []),
    ...(pushesPerSecond < wanted ? [`${dispatchers} dispatchers: ${pushesPerSecond} pushes/s, at least ${Math.round(wanted)} wanted`] : []),
    ...(dearer > 1.1 ? [`${dispatchers} dispatchers: a push costs ${dearer.toFixed(2)} times the CPU`] : []),
  ]
})
say('')
for (const { dispatchers, pushesPerSecond, cpuMicrosecondsPerPush: cpu } of figures)
  say(
    `${dispatchers} dispatchers: ${pushesPerSecond} pushes/s (${(pushesPerSecond / (one?.pushesPerSecond ?? 1)).toFixed(2)} times), ${cpu} µs of CPU a push`,
  )
for (const failure of failures) say(`MISSED ${failure}`)
if (values.keep)
  keep(`scale-${count}`, {
    what: `${count} devices, ios, a provider that answers after ${latencyMs} ms, with ${counts.join(', ')} dispatchers`,
    figures,
    failures,
    rounds: Object.fromEntries(rounds),
  })
if (failures.length > 0) process.exitCode = 1

/** Sends once with so many dispatchers, at a new platform, so that no round has more rows than another. */
async function measure(dispatchers: number): Promise<Round> {
  const herald = await startMeasuredHerald({ env: { HERALD_INSTANCES: `dispatcher=${dispatchers}`, BULK_WINDOW: String(bulkWindow) } })
  try {
    const running = () => [...processesOf(herald.dataDir).values()].filter((name) => name === 'dispatcher').length
    await until(() => running() === dispatchers, { withinMs: 30_000, what: `${dispatchers} dispatchers` })
    const tenant = await givenTenant(herald)
    await fillDevices(herald.databaseUrl('audience'), tenant, { platform: 'ios', count })
    const sends = heraldSends(herald, tenant)
    const send = async () => {
      await tenant.simulator('PUT', '/faults', { record: 'counts', latencyMs })
      return sends.send()
    }
    return await sendRound({ ...sends, send }, { herald, tenant }, count)
  } finally {
    await herald.end()
  }
}

function cpuOf({ cpuMicrosecondsPerPush }: Round): number {
  return Object.values(cpuMicrosecondsPerPush).reduce((sum, cpu) => sum + cpu, 0)
}
