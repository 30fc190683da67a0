import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { listOpenPushes } from '@herald/contracts/calls/audience'
import { listPushes, type LedgerRow } from '@herald/contracts/calls/tracker'
import { fault, tooManyReads } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { until } from '@herald/testing/until'
import { afterEach, expect, test } from 'vitest'
import { adminToken, startGateway } from '../../testing/start-gateway.ts'
import { startPeers } from '../../testing/start-peers.ts'
import { untilStill } from '../../testing/until-still.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
afterEach(() => peers.answers.clear())

const header = 'campaignId,subscriptionId,userId,platform,variant,outcome,code,providerCode,attempts,settledAt,engagements'
const [campaignId, userId, subscriptionId] = [newId(), newId(), newId()]
const row = (fields: Partial<LedgerRow> = {}): LedgerRow => ({
  ...{ campaignId, userId, subscriptionId, platform: 'ios', variant: null, outcome: 'sent', code: null, providerCode: null, attempts: 1 },
  settledAt: '2026-01-01T00:00:00.000Z',
  engagements: [],
  ...fields,
})
const path = (appId: string, query = '') => `/apps/${appId}/pushes.csv${query}`
const askedOf = ({ subject }: { subject: string }) => peers.asked.filter((one) => one.subject === subject).map(({ request }) => request)

/** Opens the export and gives its response, of which nothing has been read. */
async function open(appId: string): Promise<IncomingMessage> {
  const asked = httpRequest({
    host: '127.0.0.1',
    port: gateway.port,
    path: `/v1/admin${path(appId)}`,
    headers: { authorization: `Bearer ${adminToken}` },
    agent: false,
  }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.on('error', () => undefined)
  return response
}

// spec: administration/pushes-csv
test('pushes can be exported as CSV with a header; a value like a formula is written as text', async () => {
  const { appId } = await gateway.givenApp()
  const waiting = newId()
  const open = {
    campaignId,
    userId,
    subscriptionId: waiting,
    platform: 'web',
    tries: 2,
    code: 'timeout',
    providerCode: null,
    nextTryAt: null,
    state: 'retry',
  }
  peers.answers.set(listOpenPushes.subject, () => ({ items: [open], nextCursor: null }))
  const failed = row({
    outcome: 'failed',
    code: 'internal',
    providerCode: '=cmd|"/c calc"!A1',
    variant: '@a,b',
    engagements: ['delivered', 'opened'],
  })
  peers.answers.set(listPushes.subject, () => ({ items: [row(), failed], nextCursor: null }))

  const { status, headers, text } = await gateway.admin(
    'GET',
    path(appId, `?campaignId=${campaignId}&platform=ios&from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z`),
  )
  expect([status, headers['content-type'], headers['content-disposition']]).toEqual([
    200,
    'text/csv; charset=utf-8; header=present',
    `attachment; filename="pushes-${appId}.csv"`,
  ])
  const { body: audit } = await gateway.admin('GET', `/apps/${appId}/audit?action=pushes.exported`)
  expect(audit['items']).toMatchObject([{ subject: { campaignId, platform: 'ios', count: 3, complete: true } }])
  const ids = `${campaignId},${subscriptionId},${userId}`
  expect(text).toBe(
    [
      header,
      `${campaignId},${waiting},${userId},web,,open,timeout,,2,,`,
      `${ids},ios,,sent,,,1,2026-01-01T00:00:00.000Z,`,
      `${ids},ios,"'@a,b",failed,internal,"'=cmd|""/c calc""!A1",1,2026-01-01T00:00:00.000Z,delivered opened`,
      '',
    ].join('\r\n'),
  )
  const filters = { appId, campaignId, platform: 'ios', from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' }
  expect(askedOf(listOpenPushes).at(-1)).toEqual({ ...filters, limit: 200 })
  expect(askedOf(listPushes).at(-1)).toEqual({ ...filters, limit: 199 })
})

// spec: administration/pushes-csv
test('while its client does not read, an export of 600 pages reads fewer than 300, and then completes', async () => {
  const { appId } = await gateway.givenApp()
  const pages = 600
  let read = 0
  peers.answers.set(listPushes.subject, () => {
    read += 1
    const items = Array.from({ length: 200 }, () => row({ providerCode: `page ${read}`.padEnd(200) }))
    return { items, nextCursor: read < pages ? newId() : null }
  })
  const response = await open(appId)
  response.pause()
  // A page is about 60 kB. As the client does not read, only the pages that fit into the buffers of the sockets are asked for.
  await untilStill(() => read)
  expect(read).toBeLessThan(300)

  let lines = 0
  response.on('data', (part: Buffer) => void (lines += part.toString().split('\r\n').length - 1))
  response.resume()
  await once(response, 'end')
  expect(lines).toBe(1 + 200 * pages)
})

test('an export of pushes waits while the tracker is too busy, and is cut when a page fails otherwise', async () => {
  const { appId } = await gateway.givenApp()
  let read = 0
  peers.answers.set(listPushes.subject, () => {
    read += 1
    if (read === 2) throw tooManyReads(1)
    return { items: [row()], nextCursor: read < 4 ? newId() : null }
  })
  const { status, text } = await gateway.admin('GET', path(appId, '?outcome=sent'))
  expect([status, text.split('\r\n').length, read]).toEqual([200, 1 + 3 + 1, 4])

  read = 0
  peers.answers.set(listPushes.subject, () => {
    read += 1
    if (read === 2) throw fault('queue_unavailable', 'A part of the service is unavailable.')
    return { items: [row()], nextCursor: newId() }
  })
  await expect(gateway.admin('GET', path(appId, '?outcome=sent'))).rejects.toThrow(/aborted|hang up|reset/)
})

// spec: administration/pushes-csv
test('an export of pushes is refused for a wrong filter, an unknown app, or during another of the app', async () => {
  const { appId } = await gateway.givenApp()
  for (const [query, at] of [
    ['?platform=tv', 'platform'],
    ['?from=yesterday', 'from'],
    ['?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'to'],
    ['?limit=5', 'limit'],
  ]) {
    const refused = await gateway.admin('GET', path(appId, query))
    expect([query, refused.status, refused.body.error?.details?.[0]?.path]).toEqual([query, 422, at])
  }
  expect((await gateway.admin('GET', path(newId()))).status).toBe(404)

  const going = Promise.withResolvers<void>()
  let read = 0
  peers.answers.set(listPushes.subject, async () => {
    read += 1
    if (read > 1) await going.promise
    return { items: [row()], nextCursor: read < 2 ? newId() : null }
  })
  const first = await open(appId)
  const second = await gateway.admin('GET', path(appId))
  expect([second.status, second.body.error?.code, second.headers['retry-after']]).toEqual([429, 'rate_limited', '2'])
  going.resolve()
  first.resume()
  await once(first, 'end')
  peers.answers.clear()
  await until(async () => (await gateway.admin('GET', path(appId))).status === 200)
})

test('when the client of an export disconnects the export ends, and the app may begin another', async () => {
  const { appId } = await gateway.givenApp()
  peers.answers.set(listPushes.subject, () => ({ items: Array.from({ length: 200 }, () => row()), nextCursor: newId() }))
  const response = await open(appId)
  response.destroy()
  const statuses: (number | undefined)[] = []
  await until(async () => {
    const again = await open(appId)
    again.destroy()
    statuses.push(again.statusCode)
    return again.statusCode === 200
  })
  // The first export was counted until the gateway noticed that its client had disconnected, so other exports were refused with 429.
  expect(statuses.slice(0, -1).filter((status) => status !== 429)).toEqual([])
})
