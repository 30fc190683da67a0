import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readOptions, say } from './options.ts'
import { keep } from './results.ts'
import { findH2load, runH2load } from './h2load.ts'
import type { ClientResult, ClientTask } from './http2-client.ts'
import { startApnsSimulator } from './http2-simulator.ts'
import { median } from './report.ts'

const help = `npm run bench:http2 [-- --pushes 100000 --rounds 5 --window 500 --profile --keep]

Pushes per second and CPU per push of the HTTP/2 client over one connection to the simulator's APNs, beside node:http2 and, where it is
installed, h2load (Debian's nghttp2-client). Rounds by turns, in changing order; medians. After each turn the simulator must have accepted
exactly what was sent. --profile writes a .cpuprofile of our client to the directory for temporary files. --keep writes the result to bench/results.`

const values = readOptions(help, { pushes: 100_000, rounds: 5, window: 500, profile: false, keep: false })

type Turn = { pushesPerSecond: number; cpuMicroseconds: number; simulatorMicroseconds: number; rssMb: number | null }

const { pushes, window } = values
const warmUp = 10_000
const h2load = findH2load()
if (!h2load) say('h2load is not installed: it is left out')

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).trim())
const simulator = await startApnsSimulator(1_000)
const bodyFile = join(tmpdir(), `herald-bench-http2-${process.pid}.json`)
writeFileSync(
  bodyFile,
  JSON.stringify({
    aps: { alert: { title: 'Hello', body: 'This is a push notification of a usual size for the test' }, sound: 'default' },
    msgId: 'm'.repeat(60),
  }),
)

function simulatorCpu(): number {
  const stat = execFileSync('cat', [`/proc/${simulator.pid}/stat`], { encoding: 'utf8' })
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

function runClient(client: ClientTask['client'], isProfiled: boolean): Omit<Turn, 'simulatorMicroseconds'> {
  const { url, caPath, tokens, headers } = simulator
  const task: ClientTask = { client, url, caPath, tokens, headers, warmUp, pushes, window }
  const profile = isProfiled ? ['--cpu-prof', `--cpu-prof-dir=${tmpdir()}`] : []
  const file = join(import.meta.dirname, 'http2-client.ts')
  const { stdout, stderr, status } = spawnSync(process.execPath, [...profile, file, JSON.stringify(task)], {
    encoding: 'utf8',
    timeout: 300_000,
  })
  if (status !== 0) throw new Error(`${client} ended with ${status}: ${stderr}`)
  return JSON.parse(stdout) as ClientResult
}

const turns = new Map<string, Turn[]>()
const clients = ['own', 'node:http2', ...(h2load ? ['h2load'] : [])]
try {
  for (let round = 0; round < values.rounds; round++) {
    for (const client of round % 2 ? clients.toReversed() : clients) {
      await simulator.reset()
      const before = simulatorCpu()
      const isOurs = client === 'own' || client === 'node:http2'
      const turn = isOurs
        ? runClient(client, values.profile && client === 'own' && round === 0)
        : {
            ...runH2load(h2load ?? '', {
              url: simulator.url,
              token: simulator.tokens[0] ?? '',
              headers: simulator.headers,
              bodyFile,
              pushes,
              window: String(window),
            }),
            rssMb: null,
          }
      const sent = pushes + (isOurs ? warmUp : 0)
      const accepted = await simulator.accepted()
      if (accepted !== sent) throw new Error(`void: ${client} sent ${sent}, the simulator accepted ${accepted}`)
      const all = turns.get(client) ?? []
      all.push({ ...turn, simulatorMicroseconds: ((simulatorCpu() - before) * 1e6) / sent })
      turns.set(client, all)
    }
  }
} finally {
  simulator.stop()
}

const of = (client: string, value: 'pushesPerSecond' | 'cpuMicroseconds' | 'simulatorMicroseconds') =>
  (turns.get(client) ?? []).map((turn) => turn[value])
say(`${'client'.padEnd(14)}${'pushes/s'.padStart(10)}${'[all]'.padStart(34)}${'CPU µs/push'.padStart(14)}${'simulator µs'.padStart(14)}`)
for (const client of turns.keys()) {
  const all = of(client, 'pushesPerSecond').join(' ')
  const [cpu, theirs] = [median(of(client, 'cpuMicroseconds')), median(of(client, 'simulatorMicroseconds'))]
  say(
    `${client.padEnd(14)}${String(median(of(client, 'pushesPerSecond'))).padStart(10)}${all.padStart(34)}${cpu.toFixed(1).padStart(14)}${theirs.toFixed(1).padStart(14)}`,
  )
}
for (const client of clients.filter((each) => each !== 'own')) {
  const ratio = (value: 'pushesPerSecond' | 'cpuMicroseconds') => (median(of('own', value)) / median(of(client, value))).toFixed(2)
  say(`own / ${client}: ${ratio('pushesPerSecond')} pushes/s, ${ratio('cpuMicroseconds')} CPU`)
}
if (values.keep) keep('http2', { what: 'pushes over one HTTP/2 connection', pushes, window, turns: Object.fromEntries(turns) })
