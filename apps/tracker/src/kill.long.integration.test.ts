import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  confirmTrackerAnnouncements,
  readSeries,
  readStats,
  recordOutcomes,
  reportQueued,
  verifyCampaign,
} from '@herald/contracts/calls/tracker'
import { noStats } from '@herald/contracts/stats'
import { announcements } from '@herald/contracts/topology'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { givenPeer } from '@herald/testing/given-peer'
import { freshNats } from '@herald/testing/nats'
import { serverArgs } from '@herald/testing/programs'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { afterAll, expect, test } from 'vitest'
import type { Tables } from './store/tables.ts'
import { batchesOf, givenCampaign, givenEndpoint, givenListeners, givenOutcomes, outcomesOf, reportOf } from './testing/given-tracker.ts'

const running: ChildProcess[] = []
afterAll(() => running.forEach((child) => child.kill('SIGKILL')))

async function startTracker(environment: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, serverArgs('tracker'), {
    env: { ...process.env, LOG_LEVEL: 'silent', ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  running.push(child)
  await once(child, 'message')
  return child
}

/**
 * A call whose tracker died is repeated after 750 ms. In production it is repeated after 3 s, with which the test would spend most of its time
 * waiting.
 */
const impatient = { ...recordOutcomes, timeoutMs: 750 }

async function insist<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await call().catch(() => undefined)
    if (answer !== undefined) return answer
  }
}

// spec: tracking/counters-exact, administration/series-exact
test('when trackers are killed during work no outcome is lost or counts twice, and the campaign settles', async () => {
  const [database, natsUrl] = await Promise.all([freshDatabase(), freshNats()])
  const environment = { DATABASE_URL_TRACKER: database.url('tracker'), NATS_URL: natsUrl }
  const heard = await givenListeners(natsUrl)
  const { db } = await openDatabase<Tables>(testService('tracker', {}), { url: database.url('tracker'), poolSize: 2 })
  const told = new Map<string, number>()
  const webhooks = await givenPeer('webhooks', natsUrl)
  webhooks.consume(announcements, { atOnce: 50 }, async ({ announcementId, events }) => {
    told.set(announcementId, events.length)
    await webhooks.call(confirmTrackerAnnouncements, { announcementIds: [announcementId] })
  })
  const caller = await givenPeer('dispatcher', natsUrl)
  let trackers = await Promise.all([startTracker(environment), startTracker(environment)])

  const campaign = givenCampaign()
  await givenEndpoint(db, campaign.appId)
  const batches = batchesOf(campaign, givenOutcomes(6_000), { size: 50 })
  const reportPage = (from: number, to: number) =>
    insist(() =>
      caller.call(reportQueued, {
        reports: [reportOf(campaign, batches.slice(0, to), { told: batches.slice(0, from), fannedOut: to === 120 })],
      }),
    )

  // In each of four rounds both trackers are killed while outcomes are on their way, and two others start. At the same time the next page is
  // reported.
  await reportPage(0, 30)
  for (let wave = 0; wave < 4; wave += 1) {
    const sent = batches
      .slice(wave * 30, wave * 30 + 30)
      .map((batch) => insist(() => caller.call(impatient, { batches: [outcomesOf(batch)] })))
    const reported = wave < 3 ? reportPage(wave * 30 + 30, wave * 30 + 60) : undefined
    await Promise.race(sent)
    for (const tracker of trackers) tracker.kill('SIGKILL')
    trackers = await Promise.all([startTracker(environment), startTracker(environment)])
    await Promise.all([...sent, reported])
  }

  expect(await insist(() => caller.call(readStats, campaign))).toEqual({ stats: { ...noStats, queued: 6_000, sent: 6_000 } })
  expect(await insist(() => caller.call(verifyCampaign, campaign))).toMatchObject({ agrees: true, ledger: { queued: 6_000, sent: 6_000 } })
  const hours = { appId: campaign.appId, from: null, to: null, bucket: 'hour', by: null } as const
  const { points } = await insist(() => caller.call(readSeries, hours))
  expect(
    points.reduce((sum, { queued, sent }) => ({ queued: sum.queued + queued, sent: sum.sent + sent }), { queued: 0, sent: 0 }),
  ).toEqual({
    queued: 6_000,
    sent: 6_000,
  })
  await until(() => heard.campaigns.includes(campaign.campaignId) && heard.audience.includes(campaign.campaignId), {
    what: 'the settlement',
  })
  await until(async () => (await db.selectFrom('announcements').select('id').execute()).length === 0, {
    what: 'all announcements',
    withinMs: 30_000,
  })
  expect([...told.values()].reduce((sum, events) => sum + events)).toBe(6_001)
})
