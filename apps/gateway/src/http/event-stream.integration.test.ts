import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { until } from '@herald/testing/until'
import { expect, onTestFinished, test, vi } from 'vitest'
import { EventStream, respondStream, type EventSink } from './event-stream.ts'

/** Opens an event stream to one client and gives both of its ends. */
async function givenStream(heartbeatMs?: number) {
  let sink: EventSink | undefined
  let answer: ServerResponse | undefined
  let stopped = false
  const stream = new EventStream((given) => {
    sink = given
    return () => void (stopped = true)
  })
  const server = createServer((_request, response) => {
    answer = response
    respondStream(response, stream, { headOnly: false, ...(heartbeatMs === undefined ? {} : { heartbeatMs }) })
    response.flushHeaders()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const asked = request({ host: '127.0.0.1', port: typeof address === 'object' ? address?.port : 0, agent: false }).end()
  const [client] = (await once(asked, 'response')) as [IncomingMessage]
  if (!sink || !answer) throw new Error('the stream was started')
  return { sink, answer, client, isStopped: () => stopped }
}

test('while a client does not read its stream less than 1 MB waits; later it gets the newest event', async () => {
  const { sink, answer, client } = await givenStream()
  client.pause()
  const padding = 'x'.repeat(10_000)
  for (const n of Array(5_000).keys()) {
    sink.event('progress', { n, padding })
    if (n % 100 === 0) await new Promise(setImmediate)
  }
  expect(answer.writableLength).toBeLessThan(1_000_000)

  let text = ''
  client
    .setEncoding('utf8')
    .on('data', (part: string) => (text += part))
    .resume()
  await until(() => text.includes('"n":4999'))
  expect(text.match(/event: progress/g)?.length).toBeLessThan(5_000)
})

test('an event stream stops when its client disconnects, and writing to it afterwards does no harm', async () => {
  const { sink, answer, client, isStopped } = await givenStream()
  client.destroy()
  await until(isStopped)
  sink.event('progress', {})
  sink.comment('waiting')
  sink.end()
  expect(answer.destroyed).toBe(true)
})

test('while nothing happens an event stream sends heartbeats, so that a page knows that the gateway still answers', async () => {
  const { client } = await givenStream(20)
  let text = ''
  client.setEncoding('utf8').on('data', (part: string) => (text += part))
  await until(() => text.length > 50)
  expect(text).toMatch(/^(event: heartbeat\ndata: \{\}\n\n)+/)
})

test('a heartbeat comes when an event stream has been quiet for 10 seconds, counted from its last event', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { sink, client } = await givenStream()
  let text = ''
  client.setEncoding('utf8').on('data', (part: string) => (text += part))
  vi.advanceTimersByTime(9_000)
  sink.event('progress', {})
  vi.advanceTimersByTime(9_999)
  await until(() => text.includes('progress'))
  expect(text).not.toContain('heartbeat')
  vi.advanceTimersByTime(1)
  await until(() => text.includes('heartbeat'))
})
