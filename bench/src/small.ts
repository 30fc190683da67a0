// Measures how long a notification to one device takes and how much CPU it costs: npm run bench:small -- --help
import { givenTenant, type Device, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { readOptions, say } from './options.ts'
import { keep } from './results.ts'
import { externalIdOf, makeDevices, registerDevices } from './crowd.ts'
import { readWal, untilAllSettled } from './database-use.ts'
import { startMeasuredHerald } from './measured-herald.ts'
import { installPeers, startParseAlone, type ParseAlone } from './peers.ts'
import type { PostJob } from './poster.ts'
import { cpuBetween, measureProcesses } from './processes.ts'
import { median, quantile } from './report.ts'
import { startPoster } from './start-poster.ts'
import { perThing, readStatements, statementLines, statementsBetween } from './statements.ts'

const help = `npm run bench:small -- [--idle 200] [--seconds 20] [--window 64] [--rate 0] [--warm 300] [--devices 500] [--platform ios] [--peer] [--rounds 3] [--statements] [--keep]

Notifications to one device each. First --idle of them, five a second: nothing else is under way. Then as many as it takes for --seconds, with at most
--window posted whose push has not arrived; or, with --rate, so many a second, each at its time whatever became of those before it. Measures from the POST to
the simulator's record of the push, push by push, and CPU by process until everything is counted. A push too few or a copy voids the run.
--warm sends come before all (raise it with several processes of a service: each must be warm).
--peer measures parse-server's POST /push to one installation in turn, --rounds times each, and prints medians and ratios; its CPU is with its Postgres.
--statements adds what each statement cost (pg_stat_statements). --keep writes the result to bench/results/. Run it on a quiet machine.`

const defaults = {
  ...{ idle: 200, seconds: 20, window: 64, rate: 0, warm: 300, devices: 500, platform: 'ios' },
  ...{ peer: false, rounds: 3, statements: false, keep: false },
}
const values = readOptions(help, defaults)
const { platform, idle, seconds, window, rate } = values
if (platform !== 'ios' && platform !== 'android') throw new Error(`--platform ${platform} is neither ios nor android`)
/**
 * For each second that a measurement may take, it makes at most this many sends. The number only has to be larger than the rate that two cores reach.
 */
const mostPerSecond = 5_000

type Pace = Pick<PostJob, 'count' | 'connections' | 'withinSeconds' | 'window' | 'perSecond'>
type Measured = Awaited<ReturnType<typeof measure>>
/** What is measured: how a push to one device is posted, and where its processes and its Postgres are. */
type Subject = {
  name: string
  job: Pick<PostJob, 'baseUrl' | 'path' | 'headers' | 'body' | 'values' | 'status'>
  directory: string
  wal: () => Promise<number>
  untilCounted: (pushes: number) => Promise<unknown>
}

if (values.peer) installPeers(say)
const herald = await startMeasuredHerald({ statements: values.statements })
const poster = startPoster()
let parse: ParseAlone | undefined
try {
  const tenant = await givenTenant(herald)
  const devices = await makeDevices(tenant, platform, values.devices)
  await registerDevices(herald, tenant, poster, devices)
  const ours = heraldOf(tenant, devices)
  if (values.peer) parse = await startParseAlone(herald, tenant, { platform, count: values.devices })
  const subjects = parse ? [ours, parseOf(parse)] : [ours]
  for (const subject of subjects) {
    const warmUp = await measure(tenant, subject, { count: values.warm, connections: 16, withinSeconds: 60, window: windowOf(16) })
    say(`${subject.name}, to warm up: ${warmUp.pushes} sends`)
  }
  const rounds: Record<string, { alone: Measured; busy: Measured }[]> = {}
  for (let round = 0; round < (values.peer ? values.rounds : 1); round += 1)
    for (const subject of subjects) (rounds[subject.name] ??= []).push(await measureRound(tenant, subject))
  const ratios = values.peer ? compare(rounds) : undefined
  if (values.keep) {
    const what = `notifications to one ${platform} device each, one at a time and ${rate > 0 ? `${rate} a second` : `${window} under way`}`
    const marks = [...(values.peer ? ['peer'] : []), ...(values.statements ? ['statements'] : []), ...(rate > 0 ? [`rate-${rate}`] : [])]
    const [first] = rounds['Herald'] ?? []
    const figures = values.peer ? { rounds, ratios } : { idle: first?.alone, sustained: first?.busy }
    keep(['small', ...marks, platform].join('-'), { what, window, rate, seconds, ...figures })
  }
} finally {
  poster.stop()
  await parse?.stop()
  await herald.end()
}

function heraldOf(tenant: Tenant, devices: Device[]): Subject {
  return {
    name: 'Herald',
    job: {
      baseUrl: herald.baseUrl,
      path: '/v1/notifications',
      headers: { authorization: `Bearer ${tenant.secretKey}` },
      body: {
        before: '{"target":{"externalIds":["',
        between: '"]},"content":{"_default":"en","en":{"title":"Order ',
        after: '","body":"It is on its way."}}}',
      },
      values: devices.map(externalIdOf),
      status: 202,
    },
    directory: herald.dataDir,
    wal: () => readWal(herald.database),
    untilCounted: () => untilAllSettled(herald.database, tenant.appId, 60_000),
  }
}

function parseOf(parse: ParseAlone): Subject {
  const { one, directory } = parse
  const body = { before: '{"where":{"objectId":"', between: '"},"data":{"title":"Order ', after: '","alert":"It is on its way."}}' }
  return {
    name: 'parse-server',
    job: { baseUrl: one.baseUrl, path: one.path, headers: one.headers, body, values: one.ids, status: 200 },
    directory,
    wal: () => parse.wal(),
    untilCounted: (pushes) => parse.untilAllEnded(pushes),
  }
}

function windowOf(size: number): NonNullable<Pace['window']> {
  return { simulator: herald.simulator, size, platform: platform as 'ios' | 'android', accepted: 0 }
}

/** Measures sends one at a time, and then many at once. */
async function measureRound(tenant: Tenant, subject: Subject): Promise<{ alone: Measured; busy: Measured }> {
  const alone = await measure(tenant, subject, { count: idle, connections: 4, withinSeconds: idle, perSecond: 5 })
  say(`${subject.name}, idle, ${alone.pushes} sends: ${figuresOf(alone)}`)
  const pace = rate > 0 ? { perSecond: rate } : { window: windowOf(window) }
  const connections = rate > 0 ? 64 : window
  const busy = await measure(tenant, subject, { count: mostPerSecond * seconds, connections, withinSeconds: seconds, ...pace })
  const asked = rate > 0 ? `${rate} a second` : `${window} under way`
  say(`${subject.name}, ${asked}, ${busy.pushes} sends: ${figuresOf(busy)}, ${Math.round(busy.walBytesPerSend)} bytes of WAL a send`)
  for (const [name, cpu] of Object.entries(busy.cpuMsPerSend)) say(`  ${name.padEnd(14)}${cpu.toFixed(3).padStart(8)} ms CPU a send`)
  if (busy.statements) for (const line of statementLines(busy.statements, 'send')) say(line)
  return { alone, busy }
}

/** Prints the medians of Herald and of the peer, and Herald's beside the peer's. */
function compare(rounds: Record<string, { alone: Measured; busy: Measured }[]>) {
  const of = (name: string, figure: (one: { alone: Measured; busy: Measured }) => number) => median((rounds[name] ?? []).map(figure))
  const figures: [what: string, figure: (one: { alone: Measured; busy: Measured }) => number][] = [
    ['idle: POST to provider, p50, ms', ({ alone }) => alone.arrivedMs.p50],
    ['idle: POST to provider, p99, ms', ({ alone }) => alone.arrivedMs.p99],
    ['idle: CPU a send, ms', ({ alone }) => alone.cpuMsPerSendInAll],
    ['many at once: sends a second', ({ busy }) => busy.perSecond],
    ['many at once: CPU a send, ms', ({ busy }) => busy.cpuMsPerSendInAll],
  ]
  return Object.fromEntries(
    figures.map(([what, figure]) => {
      const [ours, theirs] = [of('Herald', figure), of('parse-server', figure)]
      say(`${what}: Herald ${ours.toFixed(2)}, parse-server ${theirs.toFixed(2)}, ratio ${(ours / theirs).toFixed(2)}`)
      return [what, { herald: ours, parse: theirs, ratio: ours / theirs }]
    }),
  )
}

/** Sends to the devices in turn, at the given pace, waits until each push has arrived and each send is counted, and gives the figures. */
async function measure(tenant: Tenant, { job, directory, wal, untilCounted }: Subject, pace: Pace) {
  await tenant.simulator('POST', '/reset')
  const statementsBefore = values.statements ? await readStatements(herald.database) : []
  const [walBefore, before] = [await wal(), measureProcesses(directory)]
  const result = await poster.post({ ...job, from: 0, times: true, ...pace })
  const pushes = result.posted
  const acceptedAt = await untilAccepted(tenant, pushes)
  await untilCounted(pushes)
  const after = measureProcesses(directory)
  const latencies = result.postedAt.map((at, number) => (acceptedAt.get(number) ?? Number.NaN) - at)
  const cpu = cpuBetween(before, after, pushes * 1000)
  return {
    pushes,
    perSecond: pushes / ((Math.max(...acceptedAt.values()) - Math.min(...result.postedAt)) / 1000),
    /** The time from the POST (with --rate: from the time at which the POST should have begun) to the simulator's record of the push. */
    arrivedMs: { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), max: Math.max(...latencies) },
    answeredMs: result.answeredMs,
    cpuMsPerSend: cpu,
    /** The CPU time of all processes, without the simulator and the process that posts. */
    cpuMsPerSendInAll: Object.entries(cpu).reduce((sum, [name, ms]) => (name === 'simulator' ? sum : sum + ms), 0),
    walBytesPerSend: ((await wal()) - walBefore) / pushes,
    ...(values.statements && { statements: perThing(statementsBetween(statementsBefore, await readStatements(herald.database)), pushes) }),
  }
}

/** Gives when the push of each send arrived, by the number in the push's title. Throws when a push is missing or came twice. */
async function untilAccepted(tenant: Tenant, pushes: number): Promise<Map<number, number>> {
  const accepted = async () => (await tenant.simulator<{ accepted: { total: number } }>('GET', '/summary?open=false')).accepted.total
  await until(async () => (await accepted()) >= pushes, { withinMs: 60_000, what: `${pushes} pushes` })
  const acceptedAt = new Map<number, number>()
  for (let after = 0; after < pushes; after += 10_000) {
    const page = await tenant.simulator<{ pushes: { at: number; payload: unknown }[] }>('GET', `/pushes?limit=10000&after=${after}`)
    for (const { at, payload } of page.pushes) {
      const number = Number(/Order (\d+)/.exec(JSON.stringify(payload))?.[1])
      if (acceptedAt.has(number)) throw new Error(`void: the push of send ${number} came twice`)
      acceptedAt.set(number, at)
    }
  }
  if (acceptedAt.size !== pushes) throw new Error(`void: of ${pushes} sends ${acceptedAt.size} have arrived`)
  return acceptedAt
}

function figuresOf({ perSecond, arrivedMs: { p50, p99, max }, cpuMsPerSendInAll }: Measured): string {
  const arrived = `POST to provider p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)}, longest ${max.toFixed(1)}`
  return `${perSecond.toFixed(1)}/s, ${arrived}; ${cpuMsPerSendInAll.toFixed(2)} ms CPU a send`
}
