import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { until } from '@herald/testing/until'
import { expect, onTestFinished, test } from 'vitest'
import { EventStream, respondStream, type EventSink } from './event-stream.ts'

/** A stream to one client, and what both ends have of it. */
async function givenStream() {
  let sink: EventSink | undefined
  let answer: ServerResponse | undefined
  let stopped = false
  const stream = new EventStream((given) => {
    sink = given
    return () => void (stopped = true)
  })
  const server = createServer((_request, response) => {
    answer = response
    respondStream(response, stream, { headOnly: false })
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

test('a client that does not read costs one waiting event and no pile; when it reads it gets the newest', async () => {
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

test('a client that is gone stops the stream, and what is still written to it is harmless', async () => {
  const { sink, answer, client, isStopped } = await givenStream()
  client.destroy()
  await until(isStopped)
  sink.event('progress', {})
  sink.comment('waiting')
  sink.end()
  expect(answer.destroyed).toBe(true)
})
