import { setTimeout as sleep } from 'node:timers/promises'
import * as campaignCalls from '@herald/contracts/calls/campaigns'
import { listPushes, listStats, readStats } from '@herald/contracts/calls/tracker'
import { Fault } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { fanOutWork } from '@herald/contracts/topology'
import type { Bus } from '@herald/service/bus'
import { fillCampaigns, fillTracker } from '@herald/testing/history'
import { until } from '@herald/testing/until'
import pg from 'pg'
import { readOptions, say } from './options.ts'
import { median } from './report.ts'
import { keep } from './results.ts'
import { withServicesAlone, type ServicesAlone } from './services-alone.ts'

const help = `node bench/src/reads.ts [--campaigns 1000000] [--pushes 10] [--keep]

Fills a Postgres of its own with a long history of one app: so many campaigns, each with so many pushes, over 90 days. Then it asks campaigns
and the tracker, as processes, for twenty lists and reads, and prints of each how long it took and what its statements touched by their plans
(auto_explain). At last 24 lists of pushes and 30 of templates are asked for at once, again and again, beside sends.
--keep writes the result to bench/results/. Needs 8 GB of disk for 10,000,000 pushes, and some minutes.`

const values = readOptions(help, { campaigns: 1_000_000, pushes: 10, keep: false })
const { campaigns: count, pushes } = values
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

await withServicesAlone(['campaigns', 'tracker'], measure, {
  durable: false,
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

async function measure(alone: ServicesAlone): Promise<void> {
  const gateway = await startWithHistory(alone)
  const audience = await alone.openPeer('audience')
  audience.consume(
    fanOutWork,
    { atOnce: 50 },
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
  const together = await besideSends(gateway)
  const what = 'lists and reads of a long history: time, pages touched, indexes'
  if (values.keep) keep(`reads-${count}`, { what, campaigns: count, pushes: count * pushes, days, reads, together })
}

/**
 * Makes many reads at once, again and again, while notifications are posted one after another. Gives how the reads and the sends were answered, and
 * how long the sends took.
 */
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

/** Fills the tables, and then starts both services. Gives the connection in place of the gateway. */
async function startWithHistory({ ownerUrl, databaseUrl, openPeer, startService }: ServicesAlone): Promise<Bus> {
  const templateId = newId()
  const startedAt = performance.now()
  await fillCampaigns(databaseUrl('campaigns'), { appId, count, days, templateId })
  await fillTracker(databaseUrl('tracker'), { appId, count, days, pushes })
  say(`${count} campaigns with ${count * pushes} pushes were written in ${Math.round((performance.now() - startedAt) / 1_000)} s`)
  // From here on Postgres explains each statement in its log. It comes after the history, so that the statements that wrote the history are not
  // explained.
  await explainFromNowOn(ownerUrl)
  const gateway = await openPeer('gateway')
  for (const service of ['campaigns', 'tracker'] as const) await startService(service, { LOG_LEVEL: 'error' })
  const uses = async () => (await gateway.call(campaignCalls.readTemplate, { appId, templateId })).useCount
  await until(async () => (await uses()) === count, { withinMs: 300_000, what: 'the uses of the template' })
  return gateway
}

async function explainFromNowOn(ownerUrl: string): Promise<void> {
  const owner = new pg.Client({ connectionString: ownerUrl })
  await owner.connect()
  await owner.query(`alter database herald set session_preload_libraries = 'auto_explain'`)
  await owner.end()
}

/** Waits until Postgres has written its log, and gives the reads that it has explained since the last call, without those of sweeps. */
async function untilLogged(): Promise<Explained[]> {
  let before = -1
  while (before !== logged.length) {
    before = logged.length
    await sleep(150)
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

/** Lists the indexes that were used, and the tables that were read without an index. In the name of a partition `<day>` stands for its day. */
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
