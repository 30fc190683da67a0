import { readWaves, type SendWave } from '@herald/contracts/calls/audience'
import { listOccurrences, listRuns, readCampaign } from '@herald/contracts/calls/campaigns'
import { listStats } from '@herald/contracts/calls/tracker'
import { notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { noStats } from '@herald/contracts/stats'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { afterEach, expect, test } from 'vitest'
import { startGateway } from '../../testing/start-gateway.ts'
import { givenCampaign } from '../../testing/peer-answers.ts'
import { startPeers } from '../../testing/start-peers.ts'
import { OccurrenceList, RunList, WaveList } from './campaign-answers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const { appId } = await gateway.givenApp()
const campaignId = newId()
afterEach(() => peers.answers.clear())

const get = (path: string, ofApp = appId) => gateway.admin('GET', `/apps/${ofApp}${path}`)
const askedOf = ({ subject }: { subject: string }) => peers.asked.filter((one) => one.subject === subject).map(({ request }) => request)

// spec: administration/waves
test('the waves of a send are listed as audience answers them, and an unknown campaign is 404', async () => {
  const waves: SendWave[] = [
    {
      no: 1,
      at: '2026-01-01T08:00:00.000Z',
      zones: ['Asia/Tokyo', null],
      state: 'done',
      expired: false,
      queued: 3,
      byPlatform: { ios: 1, android: 2, web: 0 },
    },
    {
      no: 2,
      at: '2026-01-01T16:00:00.000Z',
      zones: ['Europe/Berlin'],
      state: 'waiting',
      expired: false,
      queued: 0,
      byPlatform: { ios: 0, android: 0, web: 0 },
    },
  ]
  peers.answers.set(readCampaign.subject, (request) =>
    (request as { campaignId: string }).campaignId === campaignId ? givenCampaign : null,
  )
  peers.answers.set(readWaves.subject, () => ({ waves }))

  const { status, body } = await get(`/campaigns/${campaignId}/waves`)
  expect([status, body]).toEqual([200, { items: waves, nextCursor: null }])
  expect(WaveList.parse(body)).toEqual(body)
  expect(askedOf(readWaves)).toEqual([{ appId, campaignId }])

  expect((await get(`/campaigns/${newId()}/waves`)).status).toBe(404)
  expect((await get(`/campaigns/${campaignId}/waves`, newId())).status).toBe(404)
})

// spec: administration/runs
test('the runs of a recurrence are listed in pages, with the counters of each', async () => {
  const run = (id: string, localDate: string) => ({
    ...{ id, localDate, status: 'sent' as const, cancelling: false, failure: null },
    ...{ createdAt: '2026-01-02T08:00:00.000Z', startedAt: '2026-01-02T08:00:00.000Z', settledAt: null },
  })
  const [one, other] = [run(newId(), '2026-01-02'), run(newId(), '2026-01-01')]
  const stats = { ...noStats, queued: 10, sent: 9, failed: 1 }
  const cursor = Buffer.from(`1767225600000.${other.id}`).toString('base64url')
  peers.answers.set(listRuns.subject, (request) => {
    if ((request as { campaignId: string }).campaignId !== campaignId) throw notFound()
    return { items: [one, other], nextCursor: cursor }
  })
  peers.answers.set(listStats.subject, () => ({ stats: { [one.id]: stats } }))

  const { status, body } = await get(`/campaigns/${campaignId}/runs?limit=2`)
  const items = [
    { ...one, stats },
    { ...other, stats: noStats },
  ]
  expect([status, body]).toEqual([200, { items, nextCursor: cursor }])
  expect(RunList.parse(body)).toEqual(body)
  expect(askedOf(listRuns).at(-1)).toEqual({ appId, campaignId, limit: 2 })
  await get(`/campaigns/${campaignId}/runs?cursor=${cursor}`)
  expect(askedOf(listRuns).at(-1)).toEqual({ appId, campaignId, limit: 100, cursor })

  expect((await get(`/campaigns/${newId()}/runs`)).status).toBe(404)
  for (const [query, path] of [
    ['cursor=nonsense', 'cursor'],
    ['limit=0', 'limit'],
    ['q=x', 'q'],
  ]) {
    const refused = await get(`/campaigns/${campaignId}/runs?${query}`)
    expect([query, refused.status, refused.body.error?.details?.[0]?.path]).toEqual([query, 422, path])
  }
})

// spec: campaigns/occurrences
test('the next occurrences are listed, 10 or as asked from 1 to 50; an unknown app or campaign is 404', async () => {
  const items = [{ at: '2026-02-01T08:00:00.000Z', localDate: '2026-02-01' }]
  peers.answers.set(listOccurrences.subject, (request) => {
    if ((request as { campaignId: string }).campaignId !== campaignId) throw notFound()
    return { items }
  })
  const { status, body } = await get(`/campaigns/${campaignId}/occurrences`)
  expect([status, body]).toEqual([200, { items, nextCursor: null }])
  expect(OccurrenceList.parse(body)).toEqual(body)
  expect(askedOf(listOccurrences)).toEqual([{ appId, campaignId, limit: 10 }])
  await get(`/campaigns/${campaignId}/occurrences?limit=50`)
  expect(askedOf(listOccurrences).at(-1)).toEqual({ appId, campaignId, limit: 50 })

  expect((await get(`/campaigns/${newId()}/occurrences`)).status).toBe(404)
  expect((await get(`/campaigns/${campaignId}/occurrences`, newId())).status).toBe(404)
  for (const limit of ['0', '51', '1.5', 'all']) {
    const refused = await get(`/campaigns/${campaignId}/occurrences?limit=${limit}`)
    expect([refused.status, refused.body.error?.details?.[0]?.path]).toEqual([422, 'limit'])
  }
})
