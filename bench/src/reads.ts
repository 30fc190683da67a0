import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import * as campaignCalls from '@herald/contracts/calls/campaigns'
import { listPushes, listStats, readStats } from '@herald/contracts/calls/tracker'
import type { AppName } from '@herald/contracts/call'
import { Fault } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { fanOutWork } from '@herald/contracts/topology'
import { startNatsServer } from '@herald/embedded/nats-server'
import { startPostgres } from '@herald/embedded/postgres'
import { openBus, type Bus } from '@herald/service/bus'
import { openLifecycle } from '@herald/service/lifecycle'
import { openLog } from '@herald/service/log'
import { openMetrics } from '@herald/service/metrics'
import { migrate } from '@herald/service/migrate'
import { provision } from '@herald/service/provision'
import { fillCampaigns, fillTracker } from '@herald/testing/history'
import { until } from '@herald/testing/until'
import pg from 'pg'
import { aboutThisRun } from './results.ts'
import { median } from './report.ts'

const root = resolve(import.meta.dirname, '../..')
const help = `node bench/src/reads.ts [--campaigns 1000000] [--pushes 10] [--keep]

Fills a Postgres of its own with a long history of one app: so many campaigns, each with so many pushes, over 90 days. Then it asks campaigns
and the tracker, as processes, for twenty lists and reads, and prints of each how long it took and what its statements touched by their plans
(auto_explain). At last 24 lists of pushes and 30 of templates are asked for at once, again and again, beside sends.
--keep writes the result to bench/results/. Needs 8 GB of disk for 10,000,000 pushes, and some minutes.`

const { values } = parseArgs({
  options: {
    campaigns: { type: 'string', default: '1000000' },
    pushes: { type: 'string', default: '10' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const say = (line: string) => process.stdout.write(`${line}\n`)
if (values.help) {
  say(help)
  process.exit(0)
}

const directory = mkdtempSync(join(tmpdir(), 'herald-bench-reads-'))
const closers: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })]
const count = Number(values.campaigns)
const pushes = Number(values.pushes)
const days = 90
const appId = newId()

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Plan[]
}
type Explained = { 'Query Text': string; Plan: Plan }
/** What Postgres has written to its log since the log was last read. */
let logged = ''

try {
  const result = await measure()
  if (values.keep) keep(result)
} finally {
  for (const close of closers.toReversed()) await close()
}

async function measure() {
  const { openPeer } = await startPlatform()
  const gateway = await openPeer('gateway')
  const audience = await openPeer('audience')
  await audience.consume(
    fanOutWork,
    { slots: 50 },
    async ({ campaignId }) => void (await audience.call(campaignCalls.fanOutStarted, { campaignIds: [campaignId] })),
  )

  const { items: newest } = await gateway.call(listPushes, { appId, limit: 200 })
  const [first] = newest
  if (!first) throw new Error('void: there is no history')
  const campaignIds = [...new Set(newest.map(({ campaignId }) => campaignId))]
  const lists: [string, () => Promise<unknown>][] = [
    ['pushes?limit=5', () => gateway.call(listPushes, { appId, limit: 5 })],
    ['pushes?limit=200', () => gateway.call(listPushes, { appId, limit: 200 })],
    ['pushes?outcome=failed', () => gateway.call(listPushes, { appId, limit: 100, outcome: 'failed' })],
    ['pushes?outcome=skipped', () => gateway.call(listPushes, { appId, limit: 100, outcome: 'skipped' })],
    ['pushes?code=opted_out', () => gateway.call(listPushes, { appId, limit: 100, code: 'opted_out' })],
    ['pushes?userId (of nobody)', () => gateway.call(listPushes, { appId, limit: 100, userId: newId() })],
    ['pushes?subscriptionId', () => gateway.call(listPushes, { appId, limit: 100, subscriptionId: first.subscriptionId })],
    ['pushes?subscriptionId (of nobody)', () => gateway.call(listPushes, { appId, limit: 100, subscriptionId: newId() })],
    ['pushes?campaignId', () => gateway.call(listPushes, { appId, limit: 100, campaignId: first.campaignId })],
    ['stats of a campaign', () => gateway.call(readStats, { appId, campaignId: first.campaignId })],
    ['stats of a page', () => gateway.call(listStats, { appId, campaignIds })],
    ['campaigns', () => gateway.call(campaignCalls.listCampaigns, { appId, limit: 100 })],
    ['campaigns?transactional=false', () => gateway.call(campaignCalls.listCampaigns, { appId, limit: 100, transactional: false })],
    ['campaigns?transactional=true', () => gateway.call(campaignCalls.listCampaigns, { appId, limit: 100, transactional: true })],
    ['campaigns?status=draft', () => gateway.call(campaignCalls.listCampaigns, { appId, limit: 100, status: 'draft' })],
    ['campaigns?status=cancelled', () => gateway.call(campaignCalls.listCampaigns, { appId, limit: 100, status: 'cancelled' })],
    ['campaigns?status=paused', () => gateway.call(campaignCalls.listCampaigns, { appId, limit: 100, status: 'paused' })],
    ['campaigns?q=nobody', () => gateway.call(campaignCalls.listCampaigns, { appId, limit: 100, q: 'nobody has this name' })],
    ['templates', () => gateway.call(campaignCalls.listTemplates, { appId, limit: 100 })],
    ['templates?q', () => gateway.call(campaignCalls.listTemplates, { appId, limit: 100, q: 'or' })],
  ]
  const reads = []
  for (const [what, ask] of lists) {
    await untilLogged()
    await ask()
    const looks = await untilLogged()
    const ms: number[] = []
    for (let round = 0; round < 5; round += 1) {
      const startedAt = performance.now()
      await ask()
      ms.push(performance.now() - startedAt)
    }
    const read = {
      what,
      ms: Math.round(median(ms) * 10) / 10,
      statements: looks.length,
      pages: sum(looks.map(pagesOf)),
      scans: scansOf(looks),
    }
    say(
      `${what.padEnd(36)}${String(read.ms).padStart(8)} ms${String(read.statements).padStart(5)} statements${String(read.pages).padStart(8)} pages  ${read.scans.join(', ')}`,
    )
    reads.push(read)
  }
  return { campaigns: count, pushes: count * pushes, days, reads, together: await besideSends(gateway) }
}

/** Makes reads repeatedly, several at once, while notifications are accepted one after another. */
async function besideSends(gateway: Bus) {
  const told: Record<string, Record<string, number>> = { pushes: {}, templates: {}, sends: {} }
  const tell = async (what: string, work: Promise<unknown>) => {
    const answer = await work.then(
      () => 'answered',
      (error: unknown) => (Fault.is(error) ? error.code : 'failed'),
    )
    const of = (told[what] ??= {})
    of[answer] = (of[answer] ?? 0) + 1
  }
  let over = false
  const again = async (what: string, ask: () => Promise<unknown>) => {
    while (!over) await tell(what, ask())
  }
  const readers = [
    ...Array.from({ length: 24 }, () => again('pushes', () => gateway.call(listPushes, { appId, limit: 5 }))),
    ...Array.from({ length: 30 }, () => again('templates', () => gateway.call(campaignCalls.listTemplates, { appId, limit: 100 }))),
  ]
  const ms: number[] = []
  for (let n = 0; n < 200; n += 1) {
    const startedAt = performance.now()
    const notification = { target: { externalIds: ['ada'] }, content: { _default: 'en', en: { title: 'Order', body: 'It is ready.' } } }
    await tell('sends', gateway.call(campaignCalls.sendNotification, { appId, idempotency: null, notification }))
    ms.push(performance.now() - startedAt)
  }
  over = true
  await Promise.all(readers)
  const sorted = ms.toSorted((one, other) => one - other).map(Math.round)
  say(
    `beside 24 lists of pushes and 30 of templates: ${JSON.stringify(told)}; accepted in ${sorted[100]} ms (median), ${sorted[197]} (p99)`,
  )
  return { told, acceptedMs: { p50: sorted[100], p99: sorted[197] } }
}

async function startPlatform() {
  const postgres = await startPostgres({
    dataDir: join(directory, 'postgres'),
    durable: false,
    database: 'herald',
    settings: {
      max_wal_size: '8GB',
      'auto_explain.log_min_duration': '0',
      'auto_explain.log_analyze': 'on',
      'auto_explain.log_timing': 'off',
      'auto_explain.log_buffers': 'on',
      'auto_explain.log_format': 'json',
      'auto_explain.log_parameter_max_length': '0',
    },
    onLog: (text) => void (logged = (logged + text).slice(-20_000_000)),
  })
  closers.push(() => postgres.stop())
  const nats = await startNatsServer({ storeDir: join(directory, 'nats') })
  closers.push(() => nats.stop())
  const ownerUrl = postgres.url('herald')
  const urls = await provision({ ownerUrl, apps: ['campaigns', 'tracker'], passwords: {} })
  for (const app of ['campaigns', 'tracker'] as const) await migrate({ ownerUrl, app, directory: join(root, 'apps', app, 'migrations') })
  const environment = {
    NATS_URL: nats.url,
    DATABASE_URL_CAMPAIGNS: urls['campaigns'] ?? '',
    DATABASE_URL_TRACKER: urls['tracker'] ?? '',
    LOG_LEVEL: 'error',
  }
  const openPeer = (name: AppName): Promise<Bus> => {
    const lifecycle = openLifecycle()
    closers.push(() => lifecycle.stop((what, error) => say(`${what} did not close: ${String(error)}`)))
    return openBus({ name, config: { NATS_URL: nats.url }, log: openLog(name, 'silent'), metrics: openMetrics(), ...lifecycle })
  }
  const templateId = newId()
  const startedAt = performance.now()
  await fillCampaigns(environment.DATABASE_URL_CAMPAIGNS, { appId, count, days, templateId })
  await fillTracker(environment.DATABASE_URL_TRACKER, { appId, count, days, pushes })
  say(`${count} campaigns with ${count * pushes} pushes were written in ${Math.round((performance.now() - startedAt) / 1_000)} s`)
  // From here on Postgres explains statements in its log; the statements that wrote the history were not explained.
  await explainFromNowOn(ownerUrl)
  // The gateway makes the streams for which the services wait.
  const gateway = await openPeer('gateway')
  for (const app of ['campaigns', 'tracker']) await startApp(app, environment)
  const uses = async () => (await gateway.call(campaignCalls.readTemplate, { appId, templateId })).useCount
  await until(async () => (await uses()) === count, { withinMs: 300_000, what: 'the uses of the template' })
  return { openPeer }
}

async function explainFromNowOn(ownerUrl: string): Promise<void> {
  const owner = new pg.Client({ connectionString: ownerUrl })
  await owner.connect()
  await owner.query(`alter database herald set session_preload_libraries = 'auto_explain'`)
  await owner.end()
}

async function startApp(app: string, environment: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, [join(root, 'apps', app, 'src/main.ts')], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  closers.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((done) => child.once('exit', done))
    child.kill('SIGTERM')
    await ended
  })
  await new Promise((ready, fail) => {
    child.once('message', ready)
    child.once('exit', (code) => fail(new Error(`${app} ended with ${code}`)))
  })
}

/** Waits until Postgres has written its log, and gives the reads that it has explained since the last call, without those of sweeps. */
async function untilLogged(): Promise<Explained[]> {
  let before = -1
  while (before !== logged.length) {
    before = logged.length
    await new Promise((resolve) => setTimeout(resolve, 150))
  }
  const text = logged
  logged = ''
  return [...text.matchAll(/plan:\n(\t\{[\s\S]*?\n\t\})/g)].flatMap(([, json = '']) => {
    const explained = parse(json.replaceAll('\n\t', '\n'))
    return explained && isRead(explained['Query Text']) ? [explained] : []
  })
}

/** Parses an explained statement. Undefined when two processes of Postgres wrote at once and their texts are mixed, which is rare. */
function parse(json: string): Explained | undefined {
  try {
    return JSON.parse(json) as Explained
  } catch {
    return undefined
  }
}

function isRead(statement: string): boolean {
  return (
    /examined|wanted|as report|use_count \+|order by "created_at" desc|"variant_counters"|"counters"|from counters|ledger_batches/.test(
      statement,
    ) && !/update |isActive|insert /.test(statement)
  )
}

function pagesOf({ Plan }: Explained): number {
  return Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

/** Lists the indexes that were used, and the tables that were read without an index. Partitions have the name of their table. */
function scansOf(looks: Explained[]): string[] {
  const found = new Set<string>()
  const walk = (node: Plan) => {
    const name = (node['Index Name'] ?? node['Relation Name'])?.replace(/_\d{8}/, '_<day>')
    if (name !== undefined && /Scan/.test(node['Node Type']) && node['Actual Rows'] > 0)
      found.add(node['Node Type'] === 'Seq Scan' ? `all of ${name}` : name)
    for (const child of node.Plans ?? []) walk(child)
  }
  for (const { Plan } of looks) walk(Plan)
  return [...found].toSorted()
}

function keep(result: Record<string, unknown>): void {
  const about = aboutThisRun()
  mkdirSync(join(root, 'bench/results'), { recursive: true })
  const file = join(root, 'bench/results', `reads-${count}-${about.at.slice(0, 10)}-${about.commit}.json`)
  writeFileSync(
    file,
    `${JSON.stringify({ what: 'lists and reads of a long history: time, pages touched, indexes', ...about, ...result }, null, 2)}\n`,
  )
  say(`kept in ${file}`)
}
