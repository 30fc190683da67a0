import { countDevices, readCircuits, readDeviceDays } from '@herald/contracts/calls/audience'
import { getCampaign, summarizeCampaigns } from '@herald/contracts/calls/campaigns'
import { readBreakdown, readCurve, readRecent, readSeries } from '@herald/contracts/calls/tracker'
import { listWebhooks } from '@herald/contracts/calls/webhooks'
import { notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { expect, test } from 'vitest'
import { overview } from './http/overview.ts'
import { overviewExamples } from './http/overview-examples.ts'
import { startGateway } from '../testing/start-gateway.ts'
import { givenDevices, givenWebhook, noCampaigns, quietDays } from '../testing/peer-answers.ts'
import { startPeers } from '../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const { appId } = await gateway.givenApp()
const read = (path: string, app = appId) => gateway.admin('GET', `/apps/${app}${path}`)
const answer = ({ subject }: { subject: string }, answered: unknown) => peers.answers.set(subject, () => answered)
const lastAsked = ({ subject }: { subject: string }) => peers.asked.findLast((one) => one.subject === subject)?.request

// spec: administration/overview
test('the overview of an app puts together what the other services answer, and says what needs attention', async () => {
  const count = { total: 9, reachable: 7, optedOut: 1, invalidated: 1, active1d: 2, active7d: 3, active30d: 4 }
  answer(countDevices, { ...givenDevices, devices: { ...givenDevices.devices, ios: count } })
  answer(readRecent, { ...quietDays, last24h: { ...quietDays.last24h, queued: 5, sent: 5 } })
  answer(summarizeCampaigns, {
    ...noCampaigns,
    byStatus: { draft: 2, scheduled: 1 },
    next: [{ campaignId: newId(), name: 'Sale', at: '2026-02-01T08:00:00.000Z', schedule: 'at' }],
  })
  answer(readCircuits, { circuits: [], slowed: [] })
  answer(listWebhooks, { items: [{ ...givenWebhook, disabledReason: 'consecutive_failures', enabled: false }], nextCursor: null })
  expect((await gateway.admin('PUT', `/apps/${appId}/providers/webpush`, { subject: 'mailto:ops@shop.example' })).status).toBe(200)

  const { status, body } = await read('/overview')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    asOf: quietDays.asOf,
    devicesAsOf: givenDevices.asOf,
    devices: { ios: count },
    last24h: { queued: 5, sent: 5, converted: 0 },
    campaigns: { draft: 2, scheduled: 1, sending: 0, active: 0, sent: 0, cancelled: 0, failed: 0, paused: 0 },
    nextSends: [{ name: 'Sale' }],
    circuits: [],
    providers: [
      { kind: 'apns', platform: 'ios', configured: false },
      { kind: 'fcm', platform: 'android', configured: false },
      { kind: 'webpush', platform: 'web', configured: true },
    ],
  })
  expect(body['attention']).toMatchObject([{ code: 'provider_missing', params: { reachable: 7 } }, { code: 'webhook_disabled' }])
  for (const { subject } of [countDevices, readCircuits, readRecent, summarizeCampaigns, listWebhooks])
    expect(peers.asked.filter((one) => one.subject === subject)).toHaveLength(1)
})

// spec: administration/series
test('a series can be asked for by times or dates, by day unless hours are asked for', async () => {
  answer(readSeries, { points: [] })
  expect((await read('/series')).status).toBe(200)
  expect(lastAsked(readSeries)).toEqual({ appId, from: null, to: null, bucket: 'day', by: null })
  expect((await read('/series?from=2026-01-31')).status).toBe(200)
  expect(lastAsked(readSeries)).toEqual({ appId, from: '2026-01-31T00:00:00.000Z', to: null, bucket: 'day', by: null })
  await read('/series?from=2026-01-31T08:00:00%2B02:00&to=2026-02-01&bucket=hour&by=code')
  expect(lastAsked(readSeries)).toEqual({
    ...{ appId, from: '2026-01-31T06:00:00.000Z', to: '2026-02-01T00:00:00.000Z', bucket: 'hour', by: 'code' },
  })
  await read('/devices/series?from=2026-01-01&to=2026-02-01')
  expect(lastAsked(readDeviceDays)).toEqual({ appId, from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' })
})

// spec: administration/series
test.each([
  ['/series?from=yesterday', 'from'],
  ['/series?from=2026-02-30', 'from'],
  ['/series?from=2026-01-02&to=2026-01-02', 'to'],
  ['/series?from=2026-01-02&bucket=week', 'bucket'],
  ['/series?from=2026-01-02&by=variant', 'by'],
  ['/series?from=2026-01-02&until=2026-01-03', 'until'],
  ['/devices/series?from=2026-01-02&to=2026-01-01', 'to'],
  ['/overview?days=30', 'days'],
])('a request for %s is refused with 422, and the error names %s', async (path, at) => {
  const { status, body } = await read(path)
  expect([status, body.error?.code, body.error?.details?.[0]?.path]).toEqual([422, 'invalid_body', at])
})

// spec: administration/curve, administration/breakdown
test('curve and breakdown of a campaign without pushes are empty, those of an unknown one 404', async () => {
  const [curve, breakdown] = [`/campaigns/${newId()}/curve`, `/campaigns/${newId()}/breakdown`]
  expect(await read(curve)).toMatchObject({ status: 200, body: { startedAt: null, kept: false, points: [] } })
  expect(await read(breakdown)).toMatchObject({ status: 200, body: { byPlatform: { ios: { queued: 0, open: 0 } }, codes: [] } })

  peers.answers.set(getCampaign.subject, () => {
    throw notFound()
  })
  expect((await read(curve)).status).toBe(404)
  expect((await read(breakdown)).status).toBe(404)
  peers.answers.delete(getCampaign.subject)

  const shown = { startedAt: '2026-01-01T00:00:00.000Z', kept: true, points: [] }
  answer(readCurve, shown)
  expect((await read(curve)).body).toEqual(shown)
  answer(readBreakdown, overviewExamples['readBreakdown']?.answer)
  expect((await read(breakdown)).body).toEqual(overviewExamples['readBreakdown']?.answer)
})

// spec: administration/unknown-app
test('the overview, the series and the curves of an unknown app are 404, and no other service is asked', async () => {
  const before = peers.asked.length
  const asked = ['/overview', '/series?from=2026-01-01', '/devices/series?from=2026-01-01', `/campaigns/${newId()}/curve`]
  for (const path of asked) expect((await read(path, newId())).status).toBe(404)
  expect(peers.asked.slice(before)).toEqual([])
})

test.each(overview.map((route) => [route.name, route] as const))(
  'the overview’s operation %s has an example answer that fits its schema',
  (name, { answers }) => {
    const shown = overviewExamples[name]?.answer
    expect(shown).toBeDefined()
    expect(answers?.safeParse(shown).error?.issues ?? []).toEqual([])
  },
)
