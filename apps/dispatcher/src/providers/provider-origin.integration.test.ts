import type { Http2Session } from 'node:http2'
import type { Reply } from '@herald/http2/client/reply'
import { prepareHead } from '@herald/http2/client/head'
import type { Request } from '@herald/http2/client/stream'
import { trust } from '@herald/testing/trust'
import { until } from '@herald/testing/until'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startNodeServer } from '../testing/start-node-server.ts'
import { openProviderOrigin, type ProviderOrigin } from './provider-origin.ts'

/** Each function answers one request for `/held`, which waits for this. */
const held: (() => void)[] = []
const sessions: Http2Session[] = []
/** Answers a request for `/<status>` at once. */
const server = await startNodeServer((stream, { headers }) => {
  const { session } = stream
  if (session && !sessions.includes(session)) sessions.push(session)
  const answer = (status: number) => {
    stream.respond({ ':status': status })
    stream.end()
  }
  if (headers[':path'] === '/held') held.push(() => answer(200))
  else answer(Number(headers[':path']?.slice(1)))
})
trust(server.ca)

let origin: ProviderOrigin
beforeEach(() => {
  origin = openProviderOrigin(server.url)
  sessions.length = 0
})
afterEach(() => origin.close())

const head = prepareHead({ authority: server.url.host, fields: [] })
const ask = (path: string): Request => ({ head, path, body: '{}', timeoutMs: 20_000 })

const requestOf = (request: Request): Promise<Reply> =>
  new Promise((resolve, reject) => {
    origin.request(
      request,
      (reply) => reply,
      (reply) => (reply instanceof Error ? reject(reply) : resolve(reply)),
    )
  })

// spec: providers/after-5xx
test('after a provider answers 5xx the next push takes a new connection, and those on their way are answered', async () => {
  const waiting = requestOf(ask('/held'))
  await until(() => held.length > 0)
  expect(await requestOf(ask('/503'))).toMatchObject({ is: 'answered', status: 503 })
  expect(sessions).toHaveLength(1)

  expect(await requestOf(ask('/200'))).toMatchObject({ is: 'answered', status: 200 })
  expect(sessions).toHaveLength(2)
  held.pop()?.()
  expect(await waiting).toMatchObject({ is: 'answered', status: 200 })
  await until(() => sessions[0]?.closed)
})

// spec: providers/after-5xx
test('a provider that answers 5xx again and again does not get a new connection with each answer', async () => {
  for (let asked = 0; asked < 20; asked += 1) expect(await requestOf(ask('/500'))).toMatchObject({ status: 500 })
  expect(sessions).toHaveLength(2)
})

test('after the answers 200, 400, 403, 410 and 429 the connection is used again', async () => {
  for (const status of [200, 400, 403, 410, 429]) await requestOf(ask(`/${status}`))
  expect(sessions).toHaveLength(1)
})

test('when the connections are closed, pushes on their way are still answered, and later pushes are refused without being sent', async () => {
  const waiting = requestOf(ask('/held'))
  await until(() => held.length > 0)
  const closing = origin.close()
  expect(await requestOf(ask('/200'))).toEqual({ is: 'refused', reason: 'closed' })
  held.pop()?.()
  expect(await waiting).toMatchObject({ is: 'answered', status: 200 })
  await closing
})
