import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { faults, type FaultName } from './faults.ts'
import { runSeed, type SeedResult } from './run-seed.ts'

const help = `npm run chaos -- [--seed 1] [--seeds 1] [--seconds 25] [--devices 500] [--faults kill-app,freeze-postgres,…] [--keep]

Runs the whole platform against the local simulator, does to it what the seed says, and holds the counters against what
every device was really sent. Prints the seed, every fault and the verdict; exits 1 when a seed failed. --seeds runs that
many from --seed on; --devices is per platform; --keep writes bench/results/chaos-*.json.
Faults: ${Object.keys(faults).join(', ')}`

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    seeds: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '25' },
    devices: { type: 'string', default: '500' },
    faults: { type: 'string', default: '' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const print = (line: string) => void process.stdout.write(`${line}\n`)
const isFault = (name: string): name is FaultName => name in faults

/** Apps die most often in practice, so they do here. */
const usual: FaultName[] = ['kill-app', 'kill-app', 'kill-app', ...Object.keys(faults).filter(isFault)]
const asked = values.faults.split(',').filter((name) => name !== '')
const unknown = asked.filter((name) => !isFault(name))
if (values.help || unknown.length > 0) {
  print(unknown.length > 0 ? `unknown faults: ${unknown.join(', ')}\n\n${help}` : help)
  process.exit(unknown.length > 0 ? 2 : 0)
}
const faultNames = asked.length > 0 ? asked.filter(isFault) : usual

const results: SeedResult[] = []
for (let index = 0; index < Number(values.seeds); index += 1) {
  const seed = Number(values.seed) + index
  print(`seed ${seed}`)
  const result = await runSeed({ seed, seconds: Number(values.seconds), devicesPerPlatform: Number(values.devices), faultNames, print })
  results.push(result)
  const { missing, copies, strangers, unsettled, difference, failed } = result.verdict
  print(
    `${result.good ? 'good' : 'BAD '} seed ${seed}: ${result.campaigns} campaigns, ${result.faults.length} faults, missing ${missing}, ` +
      `copies ${copies} (at most ${result.copiesAllowed}), with another identity ${strangers}, counter difference ${difference}, ` +
      `failed ${failed}, unsettled ${unsettled}, settled ${result.secondsToSettle.toFixed(1)} s after peace`,
  )
}

const bad = results.filter(({ good }) => !good)
print(
  bad.length === 0 ? `all ${results.length} seeds good` : `bad seeds: ${bad.map(({ seed }) => seed).join(', ')} (replay one with --seed)`,
)
if (values.keep) {
  const root = resolve(import.meta.dirname, '../..')
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  const at = new Date().toISOString()
  mkdirSync(join(root, 'bench/results'), { recursive: true })
  writeFileSync(
    join(root, 'bench/results', `chaos-${results.length}-seeds-${at.slice(0, 10)}-${commit}.json`),
    `${JSON.stringify({ at, commit, seconds: Number(values.seconds), devicesPerPlatform: Number(values.devices), results }, null, 2)}\n`,
  )
}
process.exit(bad.length === 0 ? 0 : 1)
