import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { notFound } from '@herald/contracts/fault'
import { openLog } from '@herald/service/log'
import { until } from '@herald/testing/until'
import { expect, onTestFinished, test, vi } from 'vitest'
import { serve } from '../testing/serve.ts'
import { untilStill } from '../testing/until-still.ts'
import { respondText, TextStream } from './text-stream.ts'

const log = openLog('gateway', 'silent')

/** Streams a text to one client and gives both ends of the connection. */
async function givenStream(parts: AsyncGenerator<string>) {
  const state = { thrown: undefined as unknown, written: () => 0, isCut: false }
  const port = await serve((_request, response) => {
    const { socket } = response
    state.written = () => socket?.bytesWritten ?? 0
    socket?.once('close', () => (state.isCut = true))
    respondText(response, new TextStream(parts, { 'content-type': 'text/plain' }), { headOnly: false, log }).catch((error: unknown) => {
      state.thrown = error
      response.writeHead(404).end()
    })
  })
  const asked = request({ host: '127.0.0.1', port, agent: false }).end()
  asked.on('error', () => undefined)
  const [client] = (await once(asked, 'response')) as [IncomingMessage]
  client.on('error', () => undefined)
  return { state, client, asked }
}

// spec: administration/export-end
test('while a client does not read an endless answer fewer than 500 parts are made, and a disconnect ends it', async () => {
  const made = { parts: 0, isReturned: false }
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) {
        made.parts += 1
        yield `${'x'.repeat(100_000)}\n`
      }
    } finally {
      made.isReturned = true
    }
  }
  const { state, client, asked } = await givenStream(endless())
  client.pause()
  await untilStill(() => made.parts)

  // Parts are made until the kernel's buffers are full, which takes some megabytes.
  expect(made.parts).toBeLessThan(500)
  asked.destroy()
  await until(() => made.isReturned, { what: 'the parts are let go' })
  expect(state.thrown).toBeUndefined()
})

test('an error before a streamed answer’s first part is answered as an error; later it cuts the connection', async () => {
  async function* refused(): AsyncGenerator<string> {
    yield* []
    throw notFound()
  }
  async function* cut(): AsyncGenerator<string> {
    yield 'a part\n'
    // The first part is sent during this pause.
    await new Promise((next) => setImmediate(next))
    throw new Error('on the way')
  }

  expect((await givenStream(refused())).client.statusCode).toBe(404)
  const { client, state } = await givenStream(cut())
  client.resume()
  await new Promise((closed) => void client.once('close', closed))
  expect([client.statusCode, client.complete, state.thrown]).toEqual([200, false, undefined])
})

// spec: administration/export-end
test('a client that takes 40 MB slowly stays connected; one that takes nothing for 30 seconds does not', async () => {
  // Only the clock of the time limit is replaced. The kernel holds some megabytes of what was written, so the client reads more than that at once.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  async function* large(): AsyncGenerator<string> {
    yield 'x'.repeat(40_000_000)
  }
  const [{ client, state }, { client: idle, state: stateOfIdle }] = [await givenStream(large()), await givenStream(large())]
  client.pause()
  idle.pause()

  for (let step = 0; step < 3; step++) {
    const before = state.written()
    for (let read = 0; read < 10_000_000;) {
      const piece = client.read() as Buffer | null
      if (piece === null) await once(client, 'readable')
      else read += piece.length
    }
    // The server has written on, so a new limit of 30 s has begun.
    await vi.waitUntil(() => state.written() > before, { timeout: 60_000 })
    vi.advanceTimersByTime(29_000)
  }

  expect(state.isCut).toBe(false)
  await vi.waitUntil(() => stateOfIdle.isCut, { timeout: 60_000 })
})
