import { connect, type Socket } from 'node:net'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { askRaw } from '../testing/ask.ts'
import { startGateway } from '../testing/start-gateway.ts'
import { startPeers } from '../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const app = await gateway.givenApp()

const send = JSON.stringify({ target: { all: true }, silent: true })
const keyed = `host: x\r\nauthorization: Bearer ${app.secretKey}\r\ncontent-type: application/json\r\n`
/** The request that an attacker wants the gateway to find behind another one. */
const hidden = `POST /v1/notifications HTTP/1.1\r\n${keyed}content-length: ${send.length}\r\n\r\n${send}`
const head = (framing: string, version = '1.1') => `POST /v1/segments/preview HTTP/${version}\r\n${keyed}${framing}\r\n`
const chunked = 'transfer-encoding: chunked\r\n'

/** Requests whose end two servers may see in different places (RFC 9112 section 11.2), each with what follows its head. */
const ambiguous: [what: string, bytes: string][] = [
  ['a length and chunks', `${head(`content-length: 4\r\n${chunked}`)}0\r\n\r\n`],
  ['chunks and a length', `${head(`${chunked}content-length: 4\r\n`)}0\r\n\r\n`],
  ['two lengths that differ', `${head('content-length: 2\r\ncontent-length: 0\r\n')}{}`],
  ['two equal lengths', `${head('content-length: 2\r\ncontent-length: 2\r\n')}{}`],
  ['a list of lengths', `${head('content-length: 2, 2\r\n')}{}`],
  ['a length with a sign', `${head('content-length: +2\r\n')}{}`],
  ['a negative length', `${head('content-length: -2\r\n')}{}`],
  ['a hexadecimal length', `${head('content-length: 0x2\r\n')}{}`],
  ['a length with a space in it', `${head('content-length: 0 2\r\n')}{}`],
  ['a length with an exponent', `${head('content-length: 2e0\r\n')}{}`],
  ['an empty length', `${head('content-length:\r\n')}{}`],
  ['a length beyond 64 bits', `${head('content-length: 18446744073709551618\r\n')}{}`],
  ['a space before the colon of a length', `${head('content-length : 2\r\n')}{}`],
  ['a space before the colon of chunks', `${head('transfer-encoding : chunked\r\n')}0\r\n\r\n`],
  ['a coding that begins like chunked', `${head('transfer-encoding: chunkedx\r\n')}0\r\n\r\n`],
  ['chunked that is not last', `${head('transfer-encoding: chunked, identity\r\n')}0\r\n\r\n`],
  ['an unknown coding', `${head('transfer-encoding: cow\r\n')}0\r\n\r\n`],
  ['a coding behind a vertical tab', `${head('transfer-encoding: \vchunked\r\n')}0\r\n\r\n`],
  ['a coding on a folded line', `${head('transfer-encoding:\r\n chunked\r\n')}0\r\n\r\n`],
  ['a header behind a bare line feed', `${head('x: y\ntransfer-encoding: chunked\r\n')}0\r\n\r\n`],
  ['a header behind a bare carriage return', `${head('x: y\rtransfer-encoding: chunked\r\n')}0\r\n\r\n`],
  ['a NUL in a header', `${head(`x: y\0\r\n${chunked}`)}0\r\n\r\n`],
  ['a space in a name', `${head(`x y: z\r\n${chunked}`)}0\r\n\r\n`],
  ['a first header that is folded', `POST / HTTP/1.1\r\n x: y\r\n${keyed}\r\n`],
  ['a hexadecimal chunk', `${head(chunked)}0x2\r\n{}\r\n0\r\n\r\n`],
  ['a chunk with a sign', `${head(chunked)}+2\r\n{}\r\n0\r\n\r\n`],
  ['a chunk beyond 64 bits', `${head(chunked)}10000000000000002\r\n{}\r\n0\r\n\r\n`],
  ['a chunk that is longer than it says', `${head(chunked)}1\r\n{}\r\n0\r\n\r\n`],
  ['a chunk that ends in a bare line feed', `${head(chunked)}2\n{}\n0\n\n`],
  ['an extension with a bare line feed', `${head(chunked)}2;a\nb\r\n{}\r\n0\r\n\r\n`],
  ['a version of one digit', `POST / HTTP/1\r\n${keyed}\r\n`],
  ['no version', 'GET /\r\n'],
]

// spec: limits/protocol-errors
test.each(ambiguous)('a request with %s is refused once, and a request hidden behind it is not carried out', async (_, bytes) => {
  const before = peers.sent.length
  const answer = await askRaw(gateway.port, bytes + hidden)

  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400'])
  expect(answer.toLowerCase()).toContain('connection: close')
  expect(peers.sent.length).toBe(before)
})

// spec: limits/protocol-errors
test('two whole requests in one piece are two requests', async () => {
  const before = peers.sent.length
  const closing = hidden.replace('host: x\r\n', 'host: x\r\nconnection: close\r\n')
  expect((await askRaw(gateway.port, hidden + closing)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 202', 'HTTP/1.1 202'])
  expect(peers.sent.length).toBe(before + 2)
})

// spec: limits/protocol-errors
test('a thousand sockets that hold back headers or bodies keep no request waiting, and are all closed', async () => {
  const halves = [
    '',
    'GET /health HTT',
    'GET /health HTTP/1.1\r\nhost: x\r\n',
    `POST /v1/notifications HTTP/1.1\r\n${keyed}content-length: ${send.length}\r\n\r\n${send.slice(0, -1)}`,
  ]
  let open = 0
  const sockets = await Promise.all(
    Array.from(
      { length: 1_000 },
      (_, n) =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect(gateway.port, '127.0.0.1', () => {
            open += 1
            socket.write(halves[n % halves.length] ?? '')
            resolve(socket)
          })
          socket.once('error', reject)
          socket.once('close', () => (open -= 1))
          socket.resume()
        }),
    ),
  )
  for (const socket of sockets) socket.on('error', () => undefined)
  expect(open).toBeGreaterThan(900)
  expect(await gateway.ask({ path: '/health' })).toMatchObject({ status: 200 })
  const sent = await gateway.ask({
    method: 'POST',
    path: '/v1/notifications',
    headers: { authorization: `Bearer ${app.secretKey}` },
    body: { target: { all: true }, silent: true },
  })
  expect(sent.status).toBe(202)
  await until(() => open === 0, { withinMs: 60_000, what: 'the sockets to be closed' })
}, 120_000)
