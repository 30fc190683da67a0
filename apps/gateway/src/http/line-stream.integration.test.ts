import { once } from 'node:events'
import { createServer, request, type IncomingMessage } from 'node:http'
import { notFound } from '@herald/contracts/fault'
import { openLog } from '@herald/service/log'
import { until } from '@herald/testing/until'
import { expect, onTestFinished, test } from 'vitest'
import type { Portion } from '../core/portion.ts'
import { LineStream, respondLines } from './line-stream.ts'

const log = openLog('gateway', 'silent')

/** An answer of endless lines to one client, and what both ends have of it. */
async function givenLines(takenWithinMs: number) {
  const state = { made: 0, isReturned: false, thrown: undefined as unknown }
  async function* endless(): AsyncGenerator<Portion> {
    try {
      for (;;) {
        state.made += 1
        yield { text: `${'x'.repeat(100_000)}\n`, count: 1 }
      }
    } finally {
      state.isReturned = true
    }
  }
  const server = createServer((_request, response) => {
    respondLines(response, new LineStream(async () => endless()), { headOnly: false, log, takenWithinMs }).catch((error: unknown) => {
      state.thrown = error
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const asked = request({ host: '127.0.0.1', port: typeof address === 'object' ? address?.port : 0, agent: false }).end()
  asked.on('error', () => undefined)
  const [client] = (await once(asked, 'response')) as [IncomingMessage]
  client.on('error', () => undefined)
  return { state, client, asked }
}

// spec: administration/export-end
test('a caller that takes nothing in time is cut off, and what was being made is let go', async () => {
  const { state, client } = await givenLines(100)
  client.pause()

  await until(() => state.isReturned, { what: 'the lines are let go' })

  expect(state.made).toBeLessThan(500)
  expect(state.thrown).toBeUndefined()
  client.resume()
  await once(client, 'close')
  expect(client.complete).toBe(false)
})

test('a caller that goes away ends what is made for it', async () => {
  const { state, client, asked } = await givenLines(60_000)
  client.pause()
  asked.destroy()

  await until(() => state.isReturned, { what: 'the lines are let go' })
  expect(state.thrown).toBeUndefined()
})

test('a fault before the first line is thrown, so that it can be answered', async () => {
  async function* refused(): AsyncGenerator<Portion> {
    yield* []
    throw notFound()
  }
  const server = createServer((_request, response) => {
    respondLines(response, new LineStream(async () => refused()), { headOnly: false, log }).catch((error: { status: number }) =>
      response.writeHead(error.status).end(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const asked = request({ host: '127.0.0.1', port: typeof address === 'object' ? address?.port : 0, agent: false }).end()
  const [client] = (await once(asked, 'response')) as [IncomingMessage]

  expect(client.statusCode).toBe(404)
})
