import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { faults, type FaultName } from './faults.ts'
import { keepResult } from './keep.ts'
import { runSeed, type SeedResult } from './run-seed.ts'
import { play } from './scenario.ts'
import { scenarios } from './scenarios.ts'

const help = `npm run chaos -- [--seed <number>] [--seeds 1] [--seconds 25] [--devices 500] [--faults kill-app,freeze-postgres,…] [--keep]
npm run chaos -- --scenario <name>|all [--devices 50000] [--seed 1] [--seeds 1] [--keep]

Runs the whole platform against the local simulator, makes the faults that the seed picks, and compares the counters with
what every device was really sent. Prints the seed, every fault and the result; exits 1 when a seed failed. --seeds runs
that many seeds, beginning with --seed or a random one; --devices is per platform; --keep writes bench/results/chaos-*.json.
Faults: ${Object.keys(faults).join(', ')}

With --scenario the promises of the named scenarios are tested instead, or all of them (docs/faults.md); --devices is then
the number of devices in all, of which some scenarios use fewer. HERALD_PROCESSES=1 runs all services in one process;
without a scenario HERALD_INSTANCES says how many processes of each service there are (default: dispatcher=2,audience=2).
${Object.entries(scenarios)
  .map(([name, { promise }]) => `  ${name.padEnd(18)} ${promise}`)
  .join('\n')}`

const { values } = parseArgs({
  options: {
    scenario: { type: 'string' },
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '25' },
    devices: { type: 'string' },
    faults: { type: 'string', default: '' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const print = (line: string) => void process.stdout.write(`${line}\n`)
const startedAt = performance.now()
const minutes = () => ((performance.now() - startedAt) / 60_000).toFixed(1)

if (values.help) {
  print(help)
  process.exit(0)
}
process.exit((values.scenario === undefined ? await runSeeds() : await playScenarios(values.scenario)) ? 0 : 1)

async function playScenarios(asked: string): Promise<boolean> {
  const isOneProcess = process.env.HERALD_PROCESSES === '1'
  const needsSix = (name: string) => isOneProcess && scenarios[name]?.needsSixProcesses === true
  const all = asked === 'all' ? Object.keys(scenarios) : asked.split(',')
  const names = all.filter((name) => !needsSix(name))
  if (names.length < all.length) print(`not run, because each kills a single service: ${all.filter(needsSix).join(', ')}`)
  if (names.some((name) => scenarios[name]?.ownNetwork) && process.env.CHAOS_OWN_NETWORK === undefined) return againInOwnNetwork()
  const bad: string[] = []
  for (const name of names) {
    const scenario = scenarios[name] ?? refuse(`unknown scenario: ${name}`)
    print(`${name}: ${scenario.promise}`)
    const { good, ...result } = await play(scenario, {
      say: print,
      seeds: seedsFrom(values.seed ?? '1'),
      ...(values.devices !== undefined && { devices: Number(values.devices) }),
    })
    if (!good) bad.push(name)
    print(`${good ? 'good' : 'BAD '} ${name}, ${result.seconds.toFixed(0)} s${result.wrong.map((each) => `\n  ${each}`).join('')}`)
    if (values.keep) keep(name, { scenario: name, promise: scenario.promise, good, ...result })
  }
  print(`${bad.length === 0 ? `all ${names.length} scenarios good` : `bad scenarios: ${bad.join(', ')}`}, ${minutes()} minutes in all`)
  return bad.length === 0
}

/** Runs this command again in a network namespace that has only a loopback interface. Gives whether it ended with 0. */
function againInOwnNetwork(): boolean {
  const command = ['--net', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"', process.execPath, ...process.argv.slice(1)]
  return spawnSync('unshare', command, { stdio: 'inherit', env: { ...process.env, CHAOS_OWN_NETWORK: 'yes' } }).status === 0
}

async function runSeeds(): Promise<boolean> {
  const isFault = (name: string): name is FaultName => name in faults
  // Faults to pick from when the command names none. In practice services die most often, so their kill is listed three times more.
  const usual: FaultName[] = ['kill-app', 'kill-app', 'kill-app', ...Object.keys(faults).filter(isFault)]
  const asked = values.faults.split(',').filter((name) => name !== '')
  const unknown = asked.filter((name) => !isFault(name))
  if (unknown.length > 0) refuse(`unknown faults: ${unknown.join(', ')}`)
  const faultNames = asked.length > 0 ? asked.filter(isFault) : usual
  const seconds = Number(values.seconds)
  const devicesPerPlatform = Number(values.devices ?? 500)

  const results: SeedResult[] = []
  for (const seed of seedsFrom(values.seed ?? String(Math.floor(Math.random() * 1e6)))) {
    print(`seed ${seed}`)
    const result = await runSeed({ seed, seconds, devicesPerPlatform, faultNames, print })
    results.push(result)
    const { missing, copies, strangers, unsettled, difference, series, failed } = result
    print(
      `${result.good ? 'good' : 'BAD '} seed ${seed}: ${result.campaigns} campaigns, ${result.faults.length} faults, missing ${missing}, ` +
        `copies ${copies} (at most ${result.copiesAllowed}), with another identity ${strangers}, counter difference ${difference}, series difference ${series}, ` +
        `failed ${failed}, unsettled ${unsettled}, settled ${result.secondsToSettle.toFixed(1)} s after the last fault`,
    )
  }

  const bad = results.filter(({ good }) => !good).map(({ seed }) => seed)
  print(
    `${bad.length === 0 ? `all ${results.length} seeds good` : `bad seeds: ${bad.join(', ')} (replay one with --seed)`}, ${minutes()} minutes in all`,
  )
  const instances = process.env.HERALD_INSTANCES
  const name = instances === undefined ? `${results.length}-seeds` : `${results.length}-seeds-${instances.replaceAll(/[^a-z0-9]+/g, '-')}`
  if (values.keep) keep(name, { seconds, devicesPerPlatform, instances, minutes: Number(minutes()), results })
  return bad.length === 0
}

function seedsFrom(first: string): number[] {
  return Array.from({ length: Number(values.seeds) }, (_, index) => Number(first) + index)
}

function refuse(why: string): never {
  print(`${why}\n\n${help}`)
  return process.exit(2)
}

function keep(name: string, result: Record<string, unknown>): void {
  print(`kept in ${keepResult(`chaos-${name}`, result)}`)
}
