// `npm run test:cluster`: Herald with three servers of NATS, and with a primary and a standby of Postgres behind HAProxy, while each of them dies, and on
// three machines (network namespaces) of which one is cut off.
import { parseArgs } from 'node:util'
import { keepResult } from '../chaos/keep.ts'
import { play, type Scenario } from '../chaos/scenario.ts'
import { composeScenario } from './compose-scenario.ts'
import { databaseScenarios } from './database-scenarios.ts'
import { networkScenarios } from './network-scenario.ts'
import { queueScenarios } from './queue-scenarios.ts'
import { restoreScenarios } from './restore-scenario.ts'

const scenarios: Record<string, Scenario> = { ...databaseScenarios, ...queueScenarios, ...networkScenarios, ...restoreScenarios }
/** Needs Docker, and is played only when it is asked for. */
const withDocker: Record<string, Scenario> = { compose: composeScenario }
const all = { ...scenarios, ...withDocker }
const help = `npm run test:cluster -- [--only <name>,…] [--devices 20000] [--keep]

Runs Herald on a small cluster of this machine, lets parts of it die in the middle of a send, and compares the counters with what
every device was really sent. About ten minutes. Exits 1 when a promise was broken; --keep writes bench/results/cluster-*.json.
HAProxy is fetched from Debian and not installed. "network-cut" needs root and iproute2. "compose" needs Docker, and is played only when it is named.
${Object.entries(all)
  .map(([name, { promise }]) => `  ${name.padEnd(22)} ${promise}`)
  .join('\n')}`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    devices: { type: 'string', default: '20000' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(help)
  process.exit(0)
}
const names = values.only?.split(',') ?? Object.keys(scenarios)
const unknown = names.filter((name) => all[name] === undefined)
if (unknown.length > 0) {
  console.log(`unknown scenarios: ${unknown.join(', ')}\n\n${help}`)
  process.exit(2)
}
const startedAt = performance.now()
const results: Record<string, unknown> = {}
const bad: string[] = []
for (const [name, scenario] of Object.entries(all)) {
  if (!names.includes(name)) continue
  console.log(`${name}: ${scenario.promise}`)
  const { good, ...result } = await play(scenario, { say: (line) => console.log(line), devices: Number(values.devices) })
  console.log(`${good ? 'good' : 'BAD '} ${name}, ${result.seconds.toFixed(0)} s`)
  results[name] = { promise: scenario.promise, good, ...result }
  if (!good) bad.push(name)
}
const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
if (values.keep)
  console.log(`kept in ${keepResult(['cluster', ...(values.only?.split(',') ?? [])].join('-'), { minutes: Number(minutes), results })}`)
console.log(`\ncluster: ${bad.length === 0 ? 'all good' : `BAD: ${bad.join(', ')}`}, ${minutes} minutes`)
process.exit(bad.length === 0 ? 0 : 1)
