import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@herald/contracts/ids'
import { fillCampaigns, fillTracker } from '@herald/testing/history'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { givenManyDevices, type Registered } from '../crowd.ts'
import { withSilentNameServer } from '../name-server.ts'
import { addressOf, onPlatform, type Platform } from '../platform.ts'
import { withReceiver, type Receiver } from '../receiver.ts'
import { logLinesOf, runningProcesses } from '../processes.ts'
import type { Scenario, Scene } from '../scenario.ts'
import { checkSends, readStats, send, untilAllSettled } from '../sends.ts'
import type { Campaign } from '../scenario-result.ts'
import { openHostilities, type Hostility } from '../hostilities.ts'
import { watching } from '../watching.ts'

/** For this many seconds the honest app sends once a second alone, before the hostile app begins. */
const secondsWarm = 10
const secondsAlone = 30
const secondsBeside = 120
const honestDevices = 100
/** The limits of an app have their defaults here, which other tests switch off; only registrations are free, since all devices have one address. */
const limits = {
  SEND_RATE_LIMIT: '100',
  API_RATE_LIMIT: '12000',
  IDENTITY_RATE_LIMIT: '60',
  DEVICE_RATE_LIMIT: '600',
  EVENT_RATE_LIMIT: '600',
}
/** The hostile app gets this many old campaigns, so that a read that looks at all of them is slow. */
const hostileHistory = { count: 300_000, days: 80 }

export const hostileTenant: Scenario = {
  promise:
    'One app that does everything at once that its limits allow (dear segments and texts, large tags, parallel changes of one user, dead push services, lists of a long history, floods of sends, logins and webhooks) leaves another app’s sends a p99 of at most twice their p99 alone, or 1 s, /health a p99 of at most 100 ms, and loses none of them. (Needs root: it gives the platform a name server of its own.)',
  async run(scene) {
    await withSilentNameServer(({ launcher }) =>
      withReceiver((receiver) =>
        onPlatform({ ...receiver.env, ...limits, LOG_LEVEL: 'warn' }, (platform) => besideHostile(scene, platform, receiver), { launcher }),
      ),
    )
  },
}

async function besideHostile(scene: Scene, platform: Platform, receiver: Receiver): Promise<void> {
  const { note, check, say } = scene
  const { tenant: honest, herald } = platform
  const hostile = await givenTenant(herald)
  const devices = await givenManyDevices(platform, honestDevices)
  const victims = await givenManyDevices({ ...platform, tenant: hostile }, 300)
  await fillTracker(addressOf(herald, 'tracker'), { appId: hostile.appId, ...hostileHistory, pushes: 1 })
  await fillCampaigns(addressOf(herald, 'campaigns'), { appId: hostile.appId, ...hostileHistory, templateId: newId() })

  const pid = runningProcesses(herald.dataDir).get('gateway-1')
  const hostilities = openHostilities({ tenant: hostile, devices: victims, receiver, baseUrl: herald.baseUrl })
  // Other apps use these routes too, so their code is warm when an attack begins.
  await Promise.all(hostilities.map((one) => playHostility({ ...one, workers: 1 }, AbortSignal.timeout(secondsWarm * 1_000))))
  const { result: alone, health: healthAlone } = await watching(herald.baseUrl, pid, () =>
    sendEverySecond(honest, devices, 'alone', secondsAlone),
  )
  const stop = new AbortController()
  const underWay = hostilities.map((one) => playHostility(one, stop.signal))
  say(`  hostile: ${hostilities.map(({ name }) => name).join(', ')}`)
  const { result: beside, health: healthBeside } = await watching(herald.baseUrl, pid, () =>
    sendEverySecond(honest, devices, 'beside', secondsBeside),
  ).finally(() => stop.abort())
  const counts = Object.fromEntries((await Promise.all(underWay)).flatMap((counted) => Object.entries(counted)))

  const campaigns = [...alone, ...beside].map(({ campaign }) => campaign)
  await untilAllSettled(honest, campaigns)
  const figures = { alone: figuresOf(alone), beside: figuresOf(beside) }
  const allowed = Math.max(1, 2 * figures.alone.p99)
  // Which sends were slow tells what held them up: the limits of the hostile app begin anew once a minute.
  const slow = beside.flatMap(({ seconds }, second) => (seconds > 0.5 ? [`${second}: ${seconds.toFixed(1)} s`] : []))
  note({ ...figures, slow, allowedP99: allowed, healthMs: { alone: healthAlone, beside: healthBeside }, answersToTheHostile: counts })
  check(figures.beside.p99 <= allowed, `p99 beside the hostile app is ${figures.beside.p99} s, ${allowed} s allowed`)
  check(healthBeside.p99 <= 100, `the p99 of /health beside the hostile app is ${healthBeside.p99} ms, 100 ms allowed`)
  const refused = [...alone, ...beside].flatMap(({ refusals }) => refusals)
  check(refused.length === 0, `${refused.length} honest sends were refused first: ${[...new Set(refused)].join(', ')}`)
  await checkSends(scene, honest, campaigns, 0)

  note({ errorLines: errorLines(herald.dataDir) })
}

function errorLines(dataDir: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const app of ['audience', 'campaigns', 'tracker', 'dispatcher', 'webhooks', 'gateway']) {
    for (const line of logLinesOf(dataDir, app)) {
      const message = /"level":"(?:error|fatal)".*"msg":"([^"]*)"/.exec(line)?.[1]
      if (message !== undefined) counts[`${app}: ${message}`] = (counts[`${app}: ${message}`] ?? 0) + 1
    }
  }
  return counts
}

type Sent = { campaign: Campaign; seconds: number; refusals: string[] }

/** Sends once a second, without waiting for earlier sends. Gives for each send the time from the POST until every push is sent. */
export async function sendEverySecond(tenant: Tenant, devices: readonly Registered[], name: string, seconds: number): Promise<Sent[]> {
  const startedAt = performance.now()
  const sends: Promise<Sent>[] = []
  for (let second = 0; second < seconds; second += 1) {
    await sleep(Math.max(0, startedAt + second * 1_000 - performance.now()))
    sends.push(timeSend(tenant, devices, `${name}-${second}`))
  }
  return Promise.all(sends)
}

/**
 * After Herald has accepted a send, this scenario waits at most this long for its pushes. When they are not all sent by then, the time until then
 * counts; whether the send settles at all is checked later, by `checkSends`.
 */
const longestWaitMs = 120_000

async function timeSend(tenant: Tenant, devices: readonly Registered[], key: string): Promise<Sent> {
  const startedAt = performance.now()
  const refusals: string[] = []
  const campaign = await send(tenant, key, devices, undefined, (status) => refusals.push(String(status)))
  await until(async () => (await readStats(tenant, campaign)).body.stats.sent === devices.length, {
    withinMs: longestWaitMs,
    what: `${key} is sent to ${devices.length} devices`,
  }).catch(() => undefined)
  return { campaign, seconds: (performance.now() - startedAt) / 1_000, refusals }
}

export function figuresOf(sends: readonly Sent[]): { median: number; p99: number; longest: number; sends: number } {
  const seconds = sends.map((one) => one.seconds).toSorted((one, other) => one - other)
  const at = (share: number) =>
    Math.round((seconds[Math.min(seconds.length - 1, Math.ceil(share * seconds.length) - 1)] ?? 0) * 1_000) / 1_000
  return { median: at(0.5), p99: at(0.99), longest: at(1), sends: seconds.length }
}

/** Lets the workers of a hostility repeat it until the signal aborts, and counts the answers by HTTP status. */
export async function playHostility({ name, workers, everyMs, act }: Hostility, signal: AbortSignal): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const work = async () => {
    while (!signal.aborted) {
      const beganAt = performance.now()
      const answered = await act().catch((error: unknown) => (error instanceof Error ? error.name : 'error'))
      const key = `${name} ${answered}`
      counts[key] = (counts[key] ?? 0) + 1
      const rest = beganAt + everyMs - performance.now()
      if (rest > 0) await sleep(rest)
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
  return counts
}
