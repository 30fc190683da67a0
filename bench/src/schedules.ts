import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createCampaign, fanOutStarted, listCampaigns, sendCampaign } from '@herald/contracts/calls/campaigns'
import type { AppName } from '@herald/contracts/call'
import type { Campaign, Schedule } from '@herald/contracts/campaign'
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
import { until } from '@herald/testing/until'
import { aboutThisRun } from './results.ts'

const root = resolve(import.meta.dirname, '../..')
const help = `node bench/src/schedules.ts [--schedules 500] [--processes 5] [--kills 2] [--keep]

--schedules schedules, half of them a date and half a recurrence, are due in the same second. --processes processes of campaigns start them; --kills
of these are killed with -9 meanwhile. Measures from the due time to the pointer that audience hears. Void unless each has started exactly
once. --keep writes the result to bench/results/. Run it on a quiet machine; it waits for the next full minute.`

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '500' },
    processes: { type: 'string', default: '5' },
    kills: { type: 'string', default: '2' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const say = (line: string) => process.stdout.write(`${line}\n`)
if (values.help) {
  say(help)
  process.exit(0)
}

const directory = mkdtempSync(join(tmpdir(), 'herald-bench-schedules-'))
const closers: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })]
try {
  const result = await measure({ count: Number(values.schedules), processes: Number(values.processes), kills: Number(values.kills) })
  for (const [name, value] of Object.entries(result)) say(`${name.padEnd(28)}${JSON.stringify(value)}`)
  if (values.keep) keep(result)
} finally {
  for (const close of closers.toReversed()) await close()
}

async function measure({ count, processes, kills }: { count: number; processes: number; kills: number }) {
  const { environment, openPeer } = await startServers()
  // The gateway comes first, because it makes the streams for which the others wait.
  const [gateway, audience] = [await openPeer('gateway'), await openPeer('audience')]
  /** When audience first got a pointer at each campaign, by the clock of this process, and how many pointers it got. */
  const heard = new Map<string, { at: number; times: number }>()
  // All messages are taken at once, because the speed of audience is not measured here.
  await audience.consume(fanOutWork, { slots: count }, async ({ campaignId }) => {
    const { at, times } = heard.get(campaignId) ?? { at: Date.now(), times: 0 }
    heard.set(campaignId, { at, times: times + 1 })
    await audience.call(fanOutStarted, { campaignIds: [campaignId] })
  })
  const apps = await Promise.all(Array.from({ length: processes }, () => startCampaigns(environment)))

  // A recurrence is due at the beginning of a minute.
  const appId = newId()
  const dueAt = Math.ceil((Date.now() + 15_000) / 60_000) * 60_000
  const minute = new Date(dueAt).toISOString()
  const forms: Schedule[] = [
    { type: 'at', at: minute },
    { type: 'recurring', every: 'day', localTime: minute.slice(11, 16), timezone: 'UTC' },
  ]
  for (let made = 0; made < count; made += 50)
    await Promise.all(Array.from({ length: Math.min(50, count - made) }, (_, n) => schedule(gateway, appId, forms[n % 2]!)))
  if (Date.now() >= dueAt) throw new Error('void: the schedules were not made in time')
  say(`${count} schedules are due at ${minute}`)

  for (const [index, app] of apps.slice(0, kills).entries()) {
    await until(() => heard.size > (index * count) / 5, { withinMs: 120_000, what: 'a start' })
    await end(app, 'SIGKILL')
  }
  await until(() => heard.size >= count, { withinMs: 60_000, what: 'every start' })
  // When campaigns was killed after it began a run and before it published the pointer, the pointer comes within the lease. A pointer after that time
  // would be a second start of the run.
  await new Promise((done) => setTimeout(done, 5_000))

  const campaigns = await listAll(gateway, appId)
  const runs = campaigns.filter(({ recurringOf }) => recurringOf !== null)
  const started = campaigns.filter(({ status }) => status === 'sending')
  const parents = campaigns.filter(({ status }) => status === 'active')
  const isExact =
    started.length === count &&
    heard.size === count &&
    started.every(({ id }) => heard.has(id)) &&
    runs.length === parents.length &&
    new Set(runs.map(({ recurringOf }) => recurringOf)).size === runs.length
  if (!isExact)
    throw new Error(`void: ${started.length} started, ${heard.size} heard, ${runs.length} runs of ${parents.length} recurrences`)

  const lateMs = [...heard.values()].map(({ at }) => at - dueAt).toSorted((one, other) => one - other)
  const at = (share: number) => lateMs[Math.min(count - 1, Math.floor(count * share))]
  return {
    schedules: count,
    processes,
    kills,
    started: started.length,
    pointers: [...heard.values()].reduce((sum, { times }) => sum + times, 0),
    lateMs: { min: at(0), p50: at(0.5), p99: at(0.99), max: at(1) },
  }
}

async function schedule(gateway: Bus, appId: string, form: Schedule): Promise<void> {
  const content = { _default: 'en', en: { title: 'Bench', body: 'On time.' } }
  const campaign = { name: 'bench', content, schedule: form }
  const { id } = await gateway.call(createCampaign, { appId, idempotency: null, campaign })
  await gateway.call(sendCampaign, { appId, campaignId: id, defaultTimezone: 'UTC' })
}

async function listAll(gateway: Bus, appId: string): Promise<Campaign[]> {
  const campaigns: Campaign[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await gateway.call(listCampaigns, { appId, limit: 200, ...(cursor ? { cursor } : {}) })
    campaigns.push(...page.items)
    cursor = page.nextCursor
  }
  return campaigns
}

/**
 * Starts Postgres with fsync and a nats-server, and makes the schema of campaigns. Gives the environment for campaigns, and a function that connects
 * in place of another service.
 */
async function startServers() {
  const postgres = await startPostgres({ dataDir: join(directory, 'postgres'), durable: true, database: 'herald' })
  closers.push(() => postgres.stop())
  const nats = await startNatsServer({ storeDir: join(directory, 'nats') })
  closers.push(() => nats.stop())
  const ownerUrl = postgres.url('herald')
  const urls = await provision({ ownerUrl, apps: ['campaigns'], passwords: {} })
  await migrate({ ownerUrl, app: 'campaigns', directory: join(root, 'apps/campaigns/migrations') })
  const environment = { NATS_URL: nats.url, DATABASE_URL_CAMPAIGNS: urls['campaigns'] ?? '', LOG_LEVEL: 'warn' }
  const openPeer = (name: AppName): Promise<Bus> => {
    const lifecycle = openLifecycle()
    closers.push(() => lifecycle.stop((what, error) => say(`${what} did not close: ${String(error)}`)))
    return openBus({ name, config: { NATS_URL: nats.url }, log: openLog(name, 'silent'), metrics: openMetrics(), ...lifecycle })
  }
  return { environment, openPeer }
}

async function startCampaigns(environment: Record<string, string>): Promise<ChildProcess> {
  const app = spawn(process.execPath, [join(root, 'apps/campaigns/src/main.ts')], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  closers.push(() => end(app, 'SIGTERM'))
  await new Promise((ready, fail) => {
    app.once('message', ready)
    app.once('exit', (code) => fail(new Error(`campaigns ended with ${code}`)))
  })
  return app
}

async function end(app: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (app.exitCode !== null || app.signalCode !== null) return
  const ended = new Promise((done) => app.once('exit', done))
  app.kill(signal)
  await ended
}

function keep(result: Record<string, unknown>): void {
  const about = aboutThisRun()
  mkdirSync(join(root, 'bench/results'), { recursive: true })
  const file = join(root, 'bench/results', `schedules-${about.at.slice(0, 10)}-${about.commit}.json`)
  writeFileSync(
    file,
    `${JSON.stringify({ what: 'schedules of one second, started by several processes', ...about, ...result }, null, 2)}\n`,
  )
  say(`kept in ${file}`)
}
