// How long the administration's reads take after many pushes: npm run bench:history -- --help
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { readOptions, say } from './options.ts'
import { keep } from './results.ts'
import { fillDevices } from './crowd.ts'
import { untilSettled } from './database-use.ts'
import { startMeasuredHerald } from './measured-herald.ts'
import { quantile } from './report.ts'

const help = `npm run bench:history -- [--devices 1000000] [--sends 10] [--asks 100] [--keep]

Makes --devices iOS devices by SQL and sends to all of them --sends times, each send after the one before is settled. Then it makes 21 reads of the dashboard
through the whole platform, one request after another, for other users, devices and campaigns each time: first --asks times each while nothing else runs, then
by turns for as long as a further send to everyone is under way. Prints p50 and p99 of the time from a request to its answer.
--keep writes the result to bench/results/. 10,000,000 pushes need 8 GB of disk and a quarter of an hour. Run it on a quiet machine.`

const values = readOptions(help, { devices: 1_000_000, sends: 10, asks: 100, keep: false })
const { devices: count, sends, asks } = values

type Kind = [what: string, path: (n: number) => string]
type Times = { asked: number; p50: number; p99: number; max: number }

const herald = await startMeasuredHerald()
try {
  const tenant = await givenTenant(herald)
  await tenant.simulator('PUT', '/faults', { record: 'counts' })
  say(
    `${count} devices were made in ${(await fillDevices(herald.databaseUrl('audience'), tenant, { platform: 'ios', count })).toFixed(0)} s`,
  )
  const campaigns: string[] = []
  while (campaigns.length < sends) {
    const startedAt = performance.now()
    campaigns.push(await send(tenant, `Send ${campaigns.length + 1}`))
    await untilSettled(herald.database, campaigns.at(-1) ?? '', 3_600_000)
    say(`send ${campaigns.length} of ${sends} is settled after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
  }
  const kinds = await kindsOf(tenant, campaigns)
  const alone: Record<string, number[]> = {}
  for (const kind of kinds) for (let n = 0; n < asks; n += 1) await ask(tenant, kind, n, alone)

  const further = await send(tenant, 'While the reads are made')
  let over = false
  const settled = untilSettled(herald.database, further, 3_600_000).finally(() => (over = true))
  // An error of `settled` is thrown below, where `settled` is awaited. Without this line it would be an unhandled rejection.
  settled.catch(() => undefined)
  const beside: Record<string, number[]> = {}
  for (let n = 0; !over; n += 1) for (const kind of kinds) await ask(tenant, kind, n, beside)
  await settled

  const reads = kinds.map(([what]) => ({ what, alone: timesOf(alone[what]), besideASend: timesOf(beside[what]) }))
  say(`${'ms'.padEnd(36)}${'alone'.padStart(20)}${'beside a send'.padStart(24)}`)
  for (const { what, alone: one, besideASend: other } of reads)
    say(`${what.padEnd(36)}p50 ${line(one.p50)} p99 ${line(one.p99)}  p50 ${line(other.p50)} p99 ${line(other.p99)}  (${other.asked})`)
  const result = { what: `reads after ${count * sends} pushes to ${count} devices`, devices: count, sends, reads }
  if (values.keep) keep(`history-${count * sends}`, result)
} finally {
  await herald.end()
}

/**
 * Reads that the pages of the dashboard make. Reads of a user, a device or a campaign take the next one each time, and begin again after the last.
 */
async function kindsOf({ appId }: Tenant, campaigns: string[]): Promise<Kind[]> {
  const { rows } = await herald.database.query<{ user: string; device: string }>(
    'select user_id as user, id as device from audience.subscriptions where app_id = $1 order by md5(id) limit 500',
    [appId],
  )
  const row = (n: number) => rows[n % rows.length] ?? { user: '', device: '' }
  const campaign = (n: number) => campaigns[n % campaigns.length] ?? ''
  const time = (hoursAgo: number) => encodeURIComponent(new Date(Date.now() - hoursAgo * 3_600_000).toISOString())
  return [
    ['overview', () => '/overview'],
    ['series of a day by hour', () => `/series?from=${time(24)}&to=${time(0)}&bucket=hour`],
    ['series of 30 days by platform', () => `/series?from=${time(720)}&to=${time(0)}&bucket=day&by=platform`],
    ['device series', () => `/devices/series?from=${time(720)}&to=${time(0)}`],
    ['campaigns', () => '/campaigns?limit=50'],
    ['a campaign', (n) => `/campaigns/${campaign(n)}`],
    ['progress', (n) => `/campaigns/${campaign(n)}/progress`],
    ['curve', (n) => `/campaigns/${campaign(n)}/curve`],
    ['breakdown', (n) => `/campaigns/${campaign(n)}/breakdown`],
    ['pushes, the newest', () => '/pushes?limit=50'],
    ['pushes of a campaign', (n) => `/pushes?limit=50&campaignId=${campaign(n)}`],
    ['pushes of a user', (n) => `/pushes?limit=50&userId=${row(n).user}`],
    ['pushes of a device', (n) => `/pushes?limit=50&subscriptionId=${row(n).device}`],
    ['pushes that failed', () => '/pushes?limit=50&outcome=failed'],
    ['pushes of a platform in an hour', () => `/pushes?limit=50&platform=ios&from=${time(1)}&to=${time(0)}`],
    ['explain, a device', (n) => `/explain?campaignId=${campaign(n)}&subscriptionId=${row(n).device}`],
    ['explain, a user', (n) => `/explain?campaignId=${campaign(n)}&userId=${row(n).user}`],
    ['a user is found by a device', (n) => `/users?q=${row(n).device}`],
    ['a user', (n) => `/users/${row(n).user}`],
    ['a device', (n) => `/subscriptions/${row(n).device}`],
    ['audit', () => '/audit?limit=50'],
  ]
}

/** Makes one request and adds the milliseconds to its answer. An answer other than 200 voids the run. */
async function ask(tenant: Tenant, [what, path]: Kind, n: number, times: Record<string, number[]>): Promise<void> {
  const startedAt = performance.now()
  const { status, body } = await tenant.admin('GET', path(n))
  if (status !== 200) throw new Error(`void: "${what}" was answered ${status} ${JSON.stringify(body)}`)
  ;(times[what] ??= []).push(performance.now() - startedAt)
}

async function send(tenant: Tenant, title: string): Promise<string> {
  const content = { _default: 'en', en: { title, body: 'This is a push notification of a usual size for the test' } }
  const { status, body } = await tenant.call<{ id: string }>('POST', '/v1/notifications', { target: { all: true }, content })
  if (status !== 202) throw new Error(`void: a send was answered ${status} ${JSON.stringify(body)}`)
  return body.id
}

function timesOf(ms: number[] = []): Times {
  return { asked: ms.length, p50: quantile(ms, 0.5), p99: quantile(ms, 0.99), max: Math.max(...ms) }
}

function line(ms: number): string {
  return ms.toFixed(1).padStart(7)
}
