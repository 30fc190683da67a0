// Measures how fast devices are imported from a file, and how much registrations slow down meanwhile: npm run bench:import -- --help
import { randomBytes } from 'node:crypto'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { readOptions, say } from './options.ts'
import { keep } from './results.ts'
import { startMeasuredHerald } from './measured-herald.ts'
import type { PostResult } from './poster.ts'
import { cpuBetween, measureProcesses } from './processes.ts'
import { startPoster } from './start-poster.ts'

const help = `npm run bench:import -- [--rows 1000000] [--perSecond 100] [--aloneSeconds 20] [--dryRun] [--keep]

Imports a file of OneSignal's form through the whole platform: one user in three has two devices, each row has tags, a language and a zone.
Registrations go on beside the import, --perSecond of them a second, each at its time whether or not those before it are answered; before that,
they run alone for --aloneSeconds. Prints rows a second, CPU by process, and p50 and p99 of registrations alone and beside. --dryRun measures a dry run. --keep writes the
result to bench/results/. Run it on a quiet machine.`

const values = readOptions(help, { rows: 1_000_000, perSecond: 100, aloneSeconds: 20, dryRun: false, keep: false })
const { rows: count, perSecond, aloneSeconds } = values

type Report = { id: string; offset: number; rows: number; created: number; rejected: number; rowsPerSecond: number; bytes: number }

const herald = await startMeasuredHerald()
const poster = startPoster()
try {
  const tenant = await givenTenant(herald)
  // These registrations are not measured. They come first so that Node has compiled the code, and Postgres has read what it reads only once, before
  // the measured ones.
  await register(tenant, 5)
  const alone = await register(tenant, aloneSeconds)
  sayRegistrations('alone', alone)

  const { id } = (await tenant.admin<Report>('POST', '/imports', { format: 'onesignal_csv', dryRun: values.dryRun })).body
  const before = measureProcesses(herald.dataDir)
  const startedAt = performance.now()
  const sending = sendFile(tenant, id)
  const beside: PostResult[] = []
  let isOver = false
  const sent = sending.finally(() => (isOver = true))
  // Registrations are made in rounds of ten seconds, because a round is not ended early: so they stop at most ten seconds after the end of the file.
  while (!isOver) beside.push(await register(tenant, 10))
  await sent
  const report = (await tenant.admin<Report>('POST', `/imports/${id}/finish`)).body
  const seconds = (performance.now() - startedAt) / 1000
  const cpu = cpuBetween(before, measureProcesses(herald.dataDir), count * 1000)
  delete cpu['simulator']
  if (report.rows !== count || report.created !== count || report.rejected !== 0) throw new Error(`void: ${JSON.stringify(report)}`)

  const answeredMs = { p50: median(beside.map((one) => one.answeredMs.p50)), p99: Math.max(...beside.map((one) => one.answeredMs.p99)) }
  say(`${count} rows in ${report.rows / report.rowsPerSecond} s, ${report.rowsPerSecond} rows/s, ${Math.round(report.bytes / 1e6)} MB`)
  for (const [name, ms] of Object.entries(cpu))
    say(`  ${name.padEnd(14)}${ms.toFixed(4).padStart(9)} ms CPU a row, the registrations beside it included`)
  for (const one of beside) sayRegistrations('beside', one)
  say(
    `p99 of registrations: ${alone.answeredMs.p99.toFixed(1)} ms alone, ${answeredMs.p99.toFixed(1)} ms in the worst ten seconds beside it`,
  )
  const result = {
    what: `${count} rows of OneSignal's form${values.dryRun ? ', dry' : ''}, ${perSecond} registrations a second beside them`,
    rows: report.rows,
    bytes: report.bytes,
    seconds,
    rowsPerSecond: report.rowsPerSecond,
    cpuMsEach: cpu,
    registrations: { perSecond, alone: alone.answeredMs, beside: answeredMs, besideTens: beside.map((one) => one.answeredMs) },
  }
  if (values.keep) keep(`import-${count}${values.dryRun ? '-dry' : ''}`, result)
} finally {
  poster.stop()
  await herald.end()
}

/** Registers new devices at an even rate, each with a user of its own. */
function register(tenant: Tenant, withinSeconds: number): Promise<PostResult> {
  const tokens = Array.from({ length: perSecond * withinSeconds }, () => randomBytes(32).toString('hex'))
  return poster.post({
    baseUrl: herald.baseUrl,
    path: '/v1/subscriptions',
    headers: { 'x-app-key': tenant.publicKey },
    body: { before: '', after: '' },
    values: tokens.map((token) =>
      JSON.stringify({ platform: 'ios', token, externalId: `registered-${token.slice(0, 12)}`, tags: { plan: 'pro' } }),
    ),
    from: 0,
    count: tokens.length,
    status: 200,
    connections: 32,
    withinSeconds,
    perSecond,
  })
}

function sayRegistrations(where: string, { posted, seconds, answeredMs: { p50, p99, max } }: PostResult): void {
  say(`registrations ${where}: ${Math.round(posted / seconds)}/s, p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, max ${max.toFixed(1)} ms`)
}

/** Sends the file while its rows are made, because a million rows are 250 MB. */
async function sendFile({ appId }: Tenant, id: string): Promise<void> {
  const response = await fetch(`${herald.baseUrl}/v1/admin/apps/${appId}/imports/${id}/data?offset=0`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${herald.adminToken}`, 'content-type': 'text/csv' },
    body: ReadableStream.from(parts()),
    duplex: 'half',
  })
  if (response.status !== 200) throw new Error(`the file was answered ${response.status}: ${await response.text()}`)
}

function* parts(): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  let lines =
    'id,identifier,session_count,language,timezone,game_version,device_os,device_type,device_model,tags,last_active,created_at,invalid_identifier,country,external_user_id,timezone_id,notification_types\n'
  for (let n = 0; n < count; n += 1) {
    const isIos = n % 2 === 0
    const identifier = isIos
      ? randomBytes(32).toString('hex')
      : `${randomBytes(11).toString('hex')}:APA91b${randomBytes(67).toString('hex')}`
    // Of every four rows the last two have the same user, so four rows have three users.
    const user = n % 4 === 3 ? n - 1 : n
    const tags = `"{""plan"":""${n % 3 === 0 ? 'pro' : 'free'}"",""city"":""Köln""}"`
    lines += `${n},${identifier},${n % 50},de,3600,1.2.${n % 9},17.1,${isIos ? 0 : 1},Model ${n % 40},${tags},2024-05-01 10:20:30,2023-01-02 03:04:05,f,DE,customer-${user},Europe/Berlin,1\n`
    if (lines.length < 65_536) continue
    yield encoder.encode(lines)
    lines = ''
  }
  yield encoder.encode(lines)
}

function median(numbers: number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0
}
