import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { webhooks } from '@herald/node'
import { expect, onTestFinished, test, vi } from 'vitest'
import { main } from './main.ts'
import { givenHerald } from './testing/given-herald.ts'
import { givenTerminal, type GivenTerminal } from './testing/given-terminal.ts'

const app = '671a2b3c4d5e6f7081920a06'
const eventNo = (n: number, type = 'notification.sent') => ({
  id: `evt_${n}`,
  type,
  ts: '2026-01-01T12:00:00.000Z',
  appId: app,
  campaignId: `c${n % 2}`,
  externalId: `kündin-${n}`,
  platform: 'ios',
})

/** Starts a server in place of Herald whose stream of events the test writes, and a terminal that uses it. */
async function givenStream() {
  const streams: ServerResponse[] = []
  const { url } = await givenHerald({
    [`GET /v1/admin/apps/${app}/events`](_request, response) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('event: watching\ndata: {}\n\n')
      streams.push(response)
    },
  })
  const write = (name: string, data: object) => void streams.at(-1)?.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
  const terminal = givenTerminal({ env: { HERALD_URL: url, HERALD_TOKEN: 'administration-token', HERALD_APP: app } })
  return { terminal, streams, write }
}

type Received = { body: string; header: string }
async function givenReceiver(statuses: number[] = []): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      received.push({ body, header: String(request.headers[webhooks.signatureHeader]) })
      response.writeHead(statuses.shift() ?? 204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`, received }
}

const secretOf = ({ printed }: GivenTerminal) => /^secret: (whsec_[\w-]{43})$/.exec(printed[0] ?? '')?.[1] ?? ''
const within = { timeout: 60_000 }

test('`herald listen` posts each of 1,000 events once, in batches of 100, signed with the printed secret', async () => {
  const { terminal, streams, write } = await givenStream()
  const { url, received } = await givenReceiver()
  const running = main(['listen', '--forward', url], terminal)
  await vi.waitUntil(() => streams.length === 1, within)

  for (let n = 0; n < 1_000; n += 1) write('event', eventNo(n))
  await vi.waitUntil(
    () => received.reduce((sum, { body }) => sum + (JSON.parse(body) as { events: [] }).events.length, 0) === 1_000,
    within,
  )
  terminal.end()

  expect(await running).toBe(0)
  const deliveries = await Promise.all(received.map(({ body, header }) => webhooks.verify(body, header, secretOf(terminal))))
  expect(deliveries.flatMap(({ events }) => events)).toEqual(Array.from({ length: 1_000 }, (_, n) => eventNo(n)))
  expect(Math.max(...deliveries.map(({ events }) => events.length))).toBe(100)
  expect(new Set(deliveries.map(({ deliveryId }) => deliveryId)).size).toBe(deliveries.length)
  expect(deliveries[0]?.deliveryId).toMatch(/^dlv_[0-9a-f]{24}$/)
})

test('`herald listen` posts a delivery again with the same id and body when the receiver answered 503', async () => {
  const { terminal, streams, write } = await givenStream()
  const { url, received } = await givenReceiver([503])
  void main(['listen', '--forward', url, '--events', 'notification.failed,ping'], terminal)
  await vi.waitUntil(() => streams.length === 1, within)

  write('event', eventNo(1))
  write('event', eventNo(2, 'notification.failed'))
  await vi.waitUntil(() => received.length === 2, within)

  expect(received[1]?.body).toBe(received[0]?.body)
  const { events } = await webhooks.verify(received[1]?.body ?? '', received[1]?.header, secretOf(terminal))
  expect(events).toEqual([eventNo(2, 'notification.failed')])
})

test('`herald tail` goes on after the connection broke, and says that events are missing', async () => {
  const { terminal, streams, write } = await givenStream()
  const running = main(['tail', '--campaign', 'c1'], terminal)
  await vi.waitUntil(() => streams.length === 1, within)
  write('event', eventNo(1))
  write('event', eventNo(2))
  write('dropped', { dropped: 7 })
  await vi.waitUntil(() => terminal.said.some((line) => line.startsWith('7 events')), within)
  streams[0]?.destroy()
  await vi.waitUntil(() => streams.length === 2, within)
  write('event', { ...eventNo(3, 'notification.failed'), data: { code: 'token_dead', providerCode: '410 \u0007Unregistered' } })
  await vi.waitUntil(() => terminal.printed.length === 2, within)
  terminal.end()

  expect(await running).toBe(0)
  expect(terminal.printed[0]).toMatch(/sent +ios +kündin-1 +c1$/)
  expect(terminal.printed[1]).toMatch(/failed +ios +kündin-3 +c1 +token_dead 410 \?Unregistered$/)
  expect(terminal.said.join('\n')).toContain('in between is not shown')
})

test('`herald tail --failed --json` prints only failed pushes and invalidated devices, one JSON line each', async () => {
  const { terminal, streams, write } = await givenStream()
  void main(['tail', '--failed', '--json'], terminal)
  await vi.waitUntil(() => streams.length === 1, within)
  write('event', eventNo(1))
  write('event', eventNo(2, 'notification.failed'))
  write('event', eventNo(3, 'subscription.invalidated'))
  await vi.waitUntil(() => terminal.printed.length === 2, within)

  expect(terminal.printed.map((line) => JSON.parse(line) as object)).toEqual([
    eventNo(2, 'notification.failed'),
    eventNo(3, 'subscription.invalidated'),
  ])
})
