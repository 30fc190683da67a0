// Sends in an hour what a day brings: npm run bench:day -- --help
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { givenTenant, type Device, type Tenant } from '@herald/testing/tenant'
import { readOptions, say } from './options.ts'
import { keep } from './results.ts'
import { externalIdOf, fillDevices, makeDevices, registerDevices } from './crowd.ts'
import { readTables, untilAllSettled, type Table } from './database-use.ts'
import { startMeasuredHerald } from './measured-herald.ts'
import { measureProcesses } from './processes.ts'
import { startPoster } from './start-poster.ts'
import { readStatements, statementsBetween, type Statement } from './statements.ts'

const help = `npm run bench:day -- [--sends 2000000] [--campaigns 200] [--devices 5000] [--campaign-devices 1000] [--window 128] [--rest 300] [--keep]

What an installation does in a day, as fast as it goes: --sends notifications to one device each, by turns to --devices devices, and among them --campaigns sends
of another app to its --campaign-devices devices. At most --window small sends are under way. When everything is counted the bench waits until the tables stop
changing, at most --rest seconds. Prints how much disk each table that changed takes before the sends, right after them and after the rest, with its rows, and
how much the NATS store takes; and the statements whose mean time grew most from the first tenth of the run to the last. A push too few or a copy voids the run.
--keep writes the result to bench/results/. The full run takes an hour or so and 5 GB of disk. Run it on a quiet machine.`

const defaults = { sends: 2_000_000, campaigns: 200, devices: 5_000, 'campaign-devices': 1_000, window: 128, rest: 300, keep: false }
const values = readOptions(help, defaults)
const { sends, campaigns, window, 'campaign-devices': campaignDevices } = values
const tenths = 10

type Look = { bytes: number; live: number; dead: number }
type Tenth = {
  sends: number
  perSecond: number
  answeredP99Ms: number
  executionMicrosecondsPerSend: number
  rssMb: Record<string, number>
}

const herald = await startMeasuredHerald({ statements: true })
const poster = startPoster()
try {
  const [small, large] = [await givenTenant(herald), await givenTenant(herald)]
  const devices = await makeDevices(small, 'ios', values.devices)
  await registerDevices(herald, small, poster, devices)
  await fillDevices(herald.databaseUrl('audience'), large, { platform: 'android', count: campaignDevices })
  await small.simulator('PUT', '/faults', { record: 'counts' })
  await herald.database.query('vacuum (analyze)')
  say(`${devices.length} and ${campaignDevices} devices are registered`)

  const before = await readSizes()
  const { perTenth, statements } = await run(small, large, devices)
  for (const { appId } of [small, large]) await untilAllSettled(herald.database, appId, 600_000)
  const after = await readSizes()
  const rested = await rest()
  await checkExact(small, large)

  const tables = compareTables(before.tables, after.tables, rested.tables)
  const slower = compareStatements(statements.at(0) ?? [], statements.at(-1) ?? [])
  print(tables, slower)
  const natsStoreBytes = { before: before.natsBytes, after: after.natsBytes, rested: rested.natsBytes }
  say(`NATS store: ${JSON.stringify(natsStoreBytes)} bytes`)
  if (values.keep) {
    const what = `${sends} sends to one device and ${campaigns} to ${campaignDevices}, as fast as they go`
    keep(`day-${sends}`, { what, window, perTenth, tables, natsStoreBytes, statements: slower })
  }
} finally {
  poster.stop()
  await herald.end()
}

/**
 * Runs the small sends in tenths, one tenth after the other, with a share of the campaigns spread over each. A tenth ends when all its small sends
 * have arrived.
 */
async function run(small: Tenant, large: Tenant, devices: Device[]) {
  const perTenth: Tenth[] = []
  const statements: Statement[][] = []
  let campaignsPosted = 0
  for (let tenth = 1; tenth <= tenths; tenth += 1) {
    const [from, to] = [Math.round((sends * (tenth - 1)) / tenths), Math.round((sends * tenth) / tenths)]
    const campaignsOfTenth = Math.round((campaigns * tenth) / tenths) - campaignsPosted
    const statementsBefore = await readStatements(herald.database)
    const startedAt = performance.now()
    let over = false
    const posting = postSends(small, devices, from, to - from).finally(() => (over = true))
    // Without this line an error of the posting would be an unhandled rejection. The error is thrown where `posting` is awaited below.
    posting.catch(() => undefined)
    for (let number = 0; number < campaignsOfTenth; number += 1) {
      await untilArrived(small, from + ((to - from) * number) / campaignsOfTenth, () => over)
      await postCampaign(large)
      campaignsPosted += 1
    }
    const { answeredMs } = await posting
    await untilArrived(small, to, () => false)
    const seconds = (performance.now() - startedAt) / 1000
    const executed = statementsBetween(statementsBefore, await readStatements(herald.database))
    statements.push(executed)
    perTenth.push({
      sends: to - from,
      perSecond: (to - from) / seconds,
      answeredP99Ms: answeredMs.p99,
      executionMicrosecondsPerSend: executed.reduce((sum, { microseconds }) => sum + microseconds, 0) / (to - from),
      rssMb: Object.fromEntries(measureProcesses(herald.dataDir).map(({ name, rssMb }) => [name, rssMb])),
    })
    const { perSecond, executionMicrosecondsPerSend } = perTenth.at(-1) as Tenth
    say(
      `${to} sends and ${campaignsPosted} campaigns: ${Math.round(perSecond)}/s, ${Math.round(executionMicrosecondsPerSend)} µs of statements a send`,
    )
  }
  return { perTenth, statements }
}

function postSends({ secretKey }: Tenant, devices: Device[], from: number, count: number) {
  return poster.post({
    baseUrl: herald.baseUrl,
    path: '/v1/notifications',
    headers: { authorization: `Bearer ${secretKey}` },
    body: {
      before: '{"target":{"externalIds":["',
      between: '"]},"content":{"_default":"en","en":{"title":"Order ',
      after: '","body":"It is on its way."}}}',
    },
    values: devices.map(externalIdOf),
    from,
    count,
    status: 202,
    connections: Math.min(window, 64),
    withinSeconds: 7_200,
    window: { simulator: herald.simulator, size: window, platform: 'ios', accepted: from },
  })
}

async function postCampaign(tenant: Tenant): Promise<void> {
  const { status, body } = await tenant.call('POST', '/v1/notifications', {
    target: { all: true },
    content: { _default: 'en', en: { title: 'News', body: 'This is a push notification of a usual size for the test' } },
  })
  if (status !== 202) throw new Error(`void: a campaign was answered ${status} ${JSON.stringify(body)}`)
}

type Summary = { accepted: { ios: number; android: number }; copies: number; distinctDevices: number }
function summaryOf(tenant: Tenant): Promise<Summary> {
  return tenant.simulator<Summary>('GET', '/summary?open=false')
}

/** Waits until `count` small sends have arrived, or until `isOver`. */
async function untilArrived(tenant: Tenant, count: number, isOver: () => boolean): Promise<void> {
  while (!isOver() && (await summaryOf(tenant)).accepted.ios < count) await sleep(250)
}

/** Checks that every push came once, and that the counters of the last hundred sends of each app agree with the ledger. */
async function checkExact(small: Tenant, large: Tenant): Promise<void> {
  const { accepted, copies, distinctDevices } = await summaryOf(small)
  const isExact = accepted.ios === sends && accepted.android === campaigns * campaignDevices && copies === 0
  if (!isExact) throw new Error(`void: ${JSON.stringify({ accepted, copies, distinctDevices })}`)
  for (const tenant of [small, large]) {
    const { rows } = await herald.database.query<{ id: string }>(
      'select id from campaigns.campaigns where app_id = $1 order by id desc limit 100',
      [tenant.appId],
    )
    for (const { id } of rows) {
      const { status, body } = await tenant.admin<{ agrees: boolean }>('GET', `/campaigns/${id}/verify`)
      if (status !== 200 || !body.agrees) throw new Error(`void: verify of ${id} was answered ${status} ${JSON.stringify(body)}`)
    }
  }
}

async function readSizes(): Promise<{ tables: Table[]; natsBytes: number }> {
  // `du` reports files that are deleted while it runs as errors, and still prints the sum.
  const { stdout: told } = spawnSync('du', ['-sb', join(herald.dataDir, 'nats')], { encoding: 'utf8' })
  return { tables: await readTables(herald.database), natsBytes: Number(told.split('\t')[0]) }
}

/** Waits until no table has changed for 75 s, which is longer than the pauses of autovacuum, or until the time limit for waiting has passed. */
async function rest() {
  const startedAt = performance.now()
  let unchanged = 0
  let last = await readSizes()
  while (unchanged < 5 && (performance.now() - startedAt) / 1000 < values.rest) {
    await sleep(15_000)
    const now = await readSizes()
    unchanged = JSON.stringify(now.tables) === JSON.stringify(last.tables) ? unchanged + 1 : 0
    last = now
  }
  say(`rested for ${Math.round((performance.now() - startedAt) / 1000)} s`)
  return last
}

type TableChange = { name: string; before: Look; after: Look; rested: Look }

function compareTables(before: Table[], after: Table[], rested: Table[]): TableChange[] {
  const lookAt = (tables: Table[], wanted: string): Look => {
    const { bytes = 0, live = 0, dead = 0 } = tables.find(({ name }) => name === wanted) ?? {}
    return { bytes, live, dead }
  }
  return rested.map(({ name }) => ({ name, before: lookAt(before, name), after: lookAt(after, name), rested: lookAt(rested, name) }))
}

/**
 * Compares the mean times of each statement that ran at least fifty times both in the first tenth and in the last. The statement whose time grew most
 * comes first.
 */
function compareStatements(first: Statement[], last: Statement[]) {
  const mean = ({ microseconds, calls }: Statement) => microseconds / calls
  return last
    .flatMap((late) => {
      const early = first.find(({ app, id }) => app === late.app && id === late.id)
      if (!early || early.calls < 50 || late.calls < 50) return []
      return [
        {
          app: late.app,
          text: late.text.slice(0, 160),
          calls: late.calls,
          firstTenthMicroseconds: mean(early),
          lastTenthMicroseconds: mean(late),
          times: mean(late) / mean(early),
        },
      ]
    })
    .toSorted((one, other) => other.times - one.times)
}

function print(tables: TableChange[], statements: ReturnType<typeof compareStatements>): void {
  const megabytes = ({ bytes }: Look) => (bytes / 1e6).toFixed(2).padStart(12)
  say(
    `${'table'.padEnd(36)}${'MB before'.padStart(12)}${'after'.padStart(12)}${'rested'.padStart(12)}${'rows before'.padStart(12)}${'rested'.padStart(12)}${'dead'.padStart(12)}`,
  )
  for (const { name, before, after, rested } of tables) {
    if (before.bytes === rested.bytes && before.live === rested.live) continue
    const rows = [before.live, rested.live, rested.dead].map((number) => String(number).padStart(12)).join('')
    say(`${name.padEnd(36)}${megabytes(before)}${megabytes(after)}${megabytes(rested)}${rows}`)
  }
  say(`${'times'.padStart(8)}${'µs first'.padStart(12)}${'µs last'.padStart(12)}${'calls'.padStart(12)}  statement`)
  for (const { times, firstTenthMicroseconds, lastTenthMicroseconds, calls, app, text } of statements.slice(0, 30)) {
    const figures = [firstTenthMicroseconds.toFixed(1), lastTenthMicroseconds.toFixed(1), String(calls)]
      .map((text) => text.padStart(12))
      .join('')
    say(`${times.toFixed(2).padStart(8)}${figures}  ${app}: ${text.slice(0, 100)}`)
  }
}
