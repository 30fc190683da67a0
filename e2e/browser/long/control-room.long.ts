import { setTimeout as pause } from 'node:timers/promises'
import type { Stats } from '@herald/contracts/stats'
import { until } from '@herald/testing/until'
import type { Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { givenManyDevices, type Registered } from '../../chaos/crowd.ts'
import { readyPid, signalAll } from '../../chaos/processes.ts'
import { compareWithRecord } from '../../chaos/scenario-result.ts'
import { readStats } from '../../chaos/sends.ts'
import { pushesOf, read, sendCampaign, untilStatus } from '../../tests/campaigns.ts'
import { openDashboard, type Dashboard } from '../dashboard.ts'
import { sharedProcesses } from '../../platform.ts'
import { watchEquation, wrongOf, type Reading } from '../equation.ts'

// The control room while 20,000 devices are sent to, of which 3 % are dead: what it shows, against the API and against the simulator's record.

const [count, deadInHundred] = [20_000, 3]
/** The page must show the numbers of the API within this many milliseconds. */
const behindMs = 1_500
const pausedWithinMs = 2_000
const liveAgainWithinMs = 5_000

let dashboard: Dashboard
let devices: Registered[]
let deadIds: string[]

beforeAll(async () => {
  dashboard = await openDashboard(await sharedProcesses())
  const { tenant } = dashboard
  devices = await givenManyDevices(dashboard, count)
  deadIds = devices.filter((_device, place) => place % 100 < deadInHundred).map(({ id }) => id)
  await tenant.simulator('PUT', '/devices/behaviour', { ids: deadIds, answer: 'dead' })
  // The providers answer only after this time, so that a send takes long enough to be watched, paused and disturbed: a dispatcher waits for the
  // answers to at most 1,000 pushes at once.
  await tenant.simulator('PUT', '/faults', { latencyMs: 700 })
})

type Counters = Pick<Stats, 'queued' | 'sent' | 'failed' | 'skipped'>
type Sample = { at: number; stats: Counters }
/** How many pushes the simulated providers have taken so far. */
const taken = async (): Promise<number> =>
  (await dashboard.tenant.simulator<{ accepted: { total: number } }>('GET', '/summary?open=false')).accepted.total

/** Reads the stats of a campaign from the API five times a second until the test ends. While the gateway is away there are no samples. */
function sampleStats(id: string): Sample[] {
  const samples: Sample[] = []
  let isOver = false
  onTestFinished(() => void (isOver = true))
  const sample = async () => {
    while (!isOver) {
      const answer = await readStats(dashboard.tenant, { id }).catch(() => undefined)
      if (answer?.status === 200) samples.push({ at: Date.now(), stats: answer.body.stats })
      await pause(200)
    }
  }
  void sample()
  return samples
}

const isAtLeast = ({ Recipients, Sent, Failed, Skipped }: Reading, { queued, sent, failed, skipped }: Counters): boolean =>
  Recipients >= queued && Sent >= sent && Failed >= failed && Skipped >= skipped

/** Gives for each sample how many milliseconds later the page showed numbers that are at least as large. */
const lagsOf = (samples: readonly Sample[], readings: readonly Reading[]): number[] =>
  samples.map(({ at, stats }) => {
    const shown = readings.find((reading) => isAtLeast(reading, stats))
    return shown === undefined ? Infinity : Math.max(0, shown.at - at)
  })

async function openRoom(name: string) {
  const id = await sendCampaign(dashboard.tenant, { name }, 'sending')
  // While the gateway is away the browser itself writes of each request that fails.
  const { page, watched } = await dashboard.open(`/campaigns/${id}`, /ERR_|status of 50/)
  return { id, page, watched, seen: await watchEquation(page) }
}
const sentence = (page: Page, begins: RegExp) => page.locator('[data-sentence]', { hasText: begins }).waitFor()
const shownAtEnd = ({ Recipients, Sent, Failed, Skipped, Waiting }: Reading) => ({ Recipients, Sent, Failed, Skipped, Waiting })
const expectedOf = ({ queued, sent, failed, skipped }: Counters) => ({
  Recipients: queued,
  Sent: sent,
  Failed: failed,
  Skipped: skipped,
  Waiting: 0,
})

// spec: dashboard/equation, dashboard/streams, campaigns/pause, campaigns/resume
test('a large send’s numbers always add up, follow the API within 1.5 s, and end like the simulator’s record', async () => {
  const { tenant, herald } = dashboard
  const { id, page, watched, seen } = await openRoom('Watched')
  const samples = sampleStats(id)
  const last = async () => (await seen()).readings.at(-1)
  await until(async () => ((await last())?.Sent ?? 0) > 2_000, { what: 'pushes are sent' })

  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await pause(pausedWithinMs)
  const held = await taken()
  await pause(2_000)
  expect(await taken()).toBe(held)
  await sentence(page, /^Paused:/)
  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  const atPause = (await last())?.Sent ?? 0
  await until(async () => ((await last())?.Sent ?? 0) > atPause + 1_000, { what: 'pushes are sent again' })

  const gateway = (await until(() => readyPid(herald.dataDir, 'gateway-1'))) ?? 0
  const killedAt = Date.now()
  signalAll([gateway], 'SIGKILL')
  const known = await until(async () => (await readStats(tenant, { id })).body.stats, { what: 'the gateway answers again' })
  const answeredAt = Date.now()
  await page.getByText('Reconnecting.').waitFor({ state: 'detached' })
  await until(async () => (await seen()).readings.some((reading) => reading.at > killedAt && isAtLeast(reading, known)))
  const liveAt = (await seen()).readings.find((reading) => reading.at > killedAt && isAtLeast(reading, known))?.at ?? Infinity
  console.log(`the gateway answered ${answeredAt - killedAt} ms after the kill, and the page was live ${liveAt - answeredAt} ms later`)
  expect(liveAt - answeredAt).toBeLessThanOrEqual(liveAgainWithinMs)

  const { status, stats } = await untilStatus(tenant, id, 'sent')
  await sentence(page, /^Sent/)
  const end = await until(async () => {
    const reading = await last()
    return reading?.Waiting === 0 && reading
  })
  expect(shownAtEnd(end)).toEqual(expectedOf(stats))
  expect(stats).toMatchObject({ queued: count, failed: deadIds.length, sent: count - deadIds.length })
  const record = await compareWithRecord(tenant, [{ id, devices: devices.map((device) => device.id), status, stats }])
  expect(record).toMatchObject({ missing: 0, copies: 0, difference: 0 })

  const { readings } = await seen()
  expect(wrongOf(readings)).toEqual([])
  const undisturbed = samples.filter(({ at }) => at < killedAt - behindMs || at > liveAt)
  const lags = lagsOf(undisturbed, readings)
  console.log(`of ${lags.length} samples the page was behind by at most ${Math.max(...lags)} ms; it showed ${readings.length} states`)
  expect(lags.length).toBeGreaterThan(20)
  expect(Math.max(...lags)).toBeLessThanOrEqual(behindMs)
  expect(watched.faults).toEqual([])
})

// spec: dashboard/equation, campaigns/cancel-under-way
test('a large send cancelled in the control room ends with what providers took, the others skipped', async () => {
  const { tenant } = dashboard
  const { id, page, watched, seen } = await openRoom('Cancelled halfway')
  await until(async () => ((await seen()).readings.at(-1)?.Sent ?? 0) > 2_000, { what: 'pushes are sent' })

  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByRole('button', { name: 'Cancel this send' }).click()
  await untilStatus(tenant, id, 'cancelled')
  await sentence(page, /^Cancelled:/)

  const { stats } = await read(tenant, id)
  const end = await until(async () => {
    const reading = (await seen()).readings.at(-1)
    return reading?.Waiting === 0 && reading.Sent === stats.sent && reading
  })
  expect(shownAtEnd(end)).toEqual(expectedOf(stats))
  expect(stats.skipped).toBeGreaterThan(0)
  expect(await pushesOf(tenant, id)).toHaveLength(stats.sent)
  expect(wrongOf((await seen()).readings)).toEqual([])
  expect(watched.faults).toEqual([])
})
