import { countDevices, readScan } from '@herald/contracts/calls/audience'
import { readCampaign } from '@herald/contracts/calls/campaigns'
import { readProgress, type Progress } from '@herald/contracts/calls/tracker'
import { databaseUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { perPlatform } from '@herald/contracts/platform'
import { noStats, type CampaignStatus } from '@herald/contracts/stats'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { until } from '@herald/testing/until'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { follow, type Following } from '../testing/follow.ts'
import { adminToken, startGateway } from '../testing/start-gateway.ts'
import { givenCampaign, givenDevices } from '../testing/peer-answers.ts'
import { startPeers } from '../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const addresses = { database: url('gateway'), nats }
const gateway = await startGateway(addresses)
const { appId } = await gateway.givenApp()
afterEach(() => peers.answers.clear())

const headers = { authorization: `Bearer ${adminToken}` }
const pathOf = (id: string) => `/v1/admin/apps/${appId}/campaigns/${id}/progress`
const watch = async (id: string, port = gateway.port) => {
  const following = await follow(port, pathOf(id), headers)
  onTestFinished(() => following.leave())
  return following
}
const sentOf = (stream: Following) => (stream.events().at(-1)?.data['stats'] as { sent: number } | undefined)?.sent
const looksAt = (id: string) =>
  peers.asked.filter(({ subject, request }) => subject === readProgress.subject && (request as { campaignId: string }).campaignId === id)
    .length

/** Makes the fake services answer about a send that is under way. `settled` of its 100 pushes have an outcome. */
function givenSend() {
  const id = newId()
  const send: { id: string; status: CampaignStatus; settled: number; fault: Error | undefined; isGone: boolean } = {
    id,
    status: 'sending',
    settled: 0,
    fault: undefined,
    isGone: false,
  }
  const earlier = { campaign: peers.answers.get(readCampaign.subject), progress: peers.answers.get(readProgress.subject) }
  const isThis = (request: unknown) => (request as { campaignId: string }).campaignId === id
  peers.answers.set(readCampaign.subject, (request) => {
    if (!isThis(request)) return earlier.campaign?.(request) ?? null
    if (send.fault) throw send.fault
    if (send.isGone) return null
    return { ...givenCampaign, id, status: send.status }
  })
  peers.answers.set(readProgress.subject, (request): unknown => {
    if (!isThis(request)) return earlier.progress?.(request)
    const none = { queued: 0, settled: 0 }
    const progress: Progress = {
      stats: { ...noStats, queued: 100, sent: send.settled },
      byPlatform: { ios: { queued: 100, settled: send.settled }, android: none, web: none },
      fannedOut: true,
      settled: send.settled === 100,
    }
    return progress
  })
  return send
}

// spec: administration/progress
test('a progress stream begins with the present counts, sends each change and the end, and closes', async () => {
  const send = givenSend()
  const stream = await watch(send.id)
  expect([stream.status, stream.headers['content-type'], stream.headers['cache-control']]).toEqual([200, 'text/event-stream', 'no-store'])
  await until(() => stream.events().length === 1)
  const none = { queued: 0, settled: 0 }
  expect(stream.events()[0]).toEqual({
    name: 'progress',
    data: {
      status: 'sending',
      cancelling: false,
      stats: { ...noStats, queued: 100 },
      byPlatform: { ios: { queued: 100, settled: 0 }, android: none, web: none },
      fannedOut: true,
      expected: 100,
      ratePerSecond: 0,
      etaSeconds: null,
    },
  })

  send.settled = 40
  await until(() => stream.events().length === 2)
  expect(stream.events()[1]?.data).toMatchObject({ stats: { sent: 40 } })
  expect(Number(stream.events()[1]?.data['ratePerSecond'])).toBeGreaterThan(0)
  expect(Number(stream.events()[1]?.data['etaSeconds'])).toBeGreaterThan(0)

  send.settled = 100
  send.status = 'sent'
  await until(() => stream.ended())
  expect(stream.ended()).toBe('end')
  expect(stream.events().slice(-2)).toMatchObject([
    { name: 'progress', data: { status: 'sent', stats: { sent: 100 }, etaSeconds: 0 } },
    { name: 'end', data: { status: 'sent' } },
  ])
})

test('the progress stream of a send that is over sends its end at once', async () => {
  const send = Object.assign(givenSend(), { status: 'cancelled' })
  const stream = await watch(send.id)
  await until(() => stream.ended())
  expect(stream.events().map(({ name }) => name)).toEqual(['progress', 'end'])
})

test('the progress of a campaign is read for all its watchers together, and not at all without a watcher', async () => {
  const send = givenSend()
  const streams = [await watch(send.id)]
  for (const _ of Array(19)) streams.push(await watch(send.id))
  for (const settled of [1, 2, 3]) {
    send.settled = settled
    await until(() => streams.every((stream) => sentOf(stream) === settled))
  }
  // The progress is read once before the first stream begins, then once a second for all 20 watchers. Three changes take a few seconds.
  expect(looksAt(send.id)).toBeLessThan(20)

  for (const stream of streams) stream.leave()
  const other = givenSend()
  const stream = await watch(other.id)
  await until(() => looksAt(other.id) >= 2)
  const before = looksAt(send.id)
  const looked = looksAt(other.id)
  await until(() => looksAt(other.id) >= looked + 2)
  expect(looksAt(send.id)).toBe(before)
  expect(stream.ended()).toBeUndefined()
})

test('while the database of another service is away a progress stream says that it waits, and goes on afterwards', async () => {
  const send = givenSend()
  const stream = await watch(send.id)
  send.fault = databaseUnavailable()
  await until(() => stream.text().includes(': waiting\n\n'))
  send.fault = undefined
  send.settled = 7
  await until(() => sentOf(stream) === 7)
  expect(stream.ended()).toBeUndefined()
})

test('the progress stream of a campaign that is deleted ends, and a new request for its progress is answered 404', async () => {
  const send = givenSend()
  const stream = await watch(send.id)
  send.isGone = true
  await until(() => stream.ended())
  expect(stream.events().at(-1)?.name).toBe('end')
  expect((await gateway.admin('GET', `/apps/${appId}/campaigns/${send.id}/progress`)).status).toBe(404)
})

// spec: administration/progress
test('a gateway keeps 200 progress streams open and refuses more, until one is closed', async () => {
  const send = givenSend()
  const streams = await Promise.all(Array.from({ length: 200 }, () => watch(send.id)))
  expect(streams.map(({ status }) => status)).toEqual(Array(200).fill(200))
  const refused = await gateway.admin('GET', `/apps/${appId}/campaigns/${send.id}/progress`)
  expect([refused.status, refused.body.error?.code, refused.headers['content-type']]).toEqual([
    503,
    'queue_unavailable',
    'application/json; charset=utf-8',
  ])
  streams[0]?.leave()
  await until(async () => (await watch(send.id)).status === 200)
})

test('a gateway that stops ends its progress streams', async () => {
  const send = givenSend()
  const other = await startGateway(addresses)
  const stream = await watch(send.id, other.port)
  await other.stop()
  expect(stream.ended()).toBe('end')
})

// spec: dashboard/share-of-expected
test('during a fan-out the stream says how many pushes are expected, from the devices looked at so far', async () => {
  const send = givenSend()
  const progress = peers.answers.get(readProgress.subject)
  peers.answers.set(readProgress.subject, (request) => ({ ...(progress?.(request) as Progress), fannedOut: false }))
  let scan: { scanned: number; listed: number | null } | null = null
  peers.answers.set(readScan.subject, () => scan)
  peers.answers.set(countDevices.subject, () => ({
    ...givenDevices,
    devices: perPlatform(() => ({ ...givenDevices.devices.ios, total: 20_000 })),
  }))
  const stream = await watch(send.id)
  await until(() => stream.events().length === 1)
  expect(stream.events()[0]?.data).toMatchObject({ fannedOut: false, expected: null, etaSeconds: null })

  scan = { scanned: 5_000, listed: null }
  await until(() => stream.events().at(-1)?.data['expected'] === 1_200)

  scan = { scanned: 5_000, listed: 10_000 }
  await until(() => stream.events().at(-1)?.data['expected'] === 200)
})
