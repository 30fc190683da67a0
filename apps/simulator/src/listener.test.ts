import { once } from 'node:events'
import { connect } from 'node:http2'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Faults } from './faults.ts'
import { listen, type Listener } from './listener.ts'
import type { Answer, Request } from './request.ts'
import { givenCertificate } from '@herald/http2/testing/certificate'
import { post } from './testing/simulator.ts'
import { readFileSync } from 'node:fs'
import { flag, frame, frameType, preface, settingsFrame, splitFrames, windowUpdateFrame } from '@herald/http2/frames'

let certificate: ReturnType<typeof givenCertificate>
let listener: Listener
let faults: Faults
let answer: (request: Request) => Partial<Answer>
let url: string

beforeAll(async () => {
  certificate = givenCertificate()
  listener = await listen({
    service: 'apns',
    port: 0,
    bindTo: '127.0.0.1',
    certificate: certificate.pem,
    privateKey: readFileSync(certificate.privateKeyPath, 'utf8'),
    protocols: ['h2'],
    maxConcurrentStreams: 1000,
    serve: (request) => ({ status: 200, headers: {}, body: '', reason: '', ...answer(request) }),
    unavailable: { status: 503, headers: {}, body: '', reason: 'unavailable' },
    faults: () => faults,
    onRefused: () => undefined,
  })
  url = `https://localhost:${listener.port}`
})
afterAll(() => {
  listener.close()
  certificate.remove()
})

const healthy: Faults = {
  latencyMs: 0,
  goawayEvery: 0,
  refuseStreamShare: 0,
  resetStreamShare: 0,
  stallWindows: false,
  lateWindows: false,
  outage: null,
  answer: null,
  only: null,
}

async function withSession<T>(use: (session: ReturnType<typeof connect>) => Promise<T>, options = {}): Promise<T> {
  const session = connect(url, { ca: certificate.pem, ...options })
  session.on('error', () => undefined)
  try {
    return await use(session)
  } finally {
    session.destroy()
  }
}

/** Opens a TLS connection on which the test writes HTTP/2 frames itself. `frames` collects what the simulator sends. */
async function rawConnection(): Promise<{
  socket: TLSSocket
  frames: { type: number; flags: number; payload: Buffer }[]
  closed: Promise<unknown>
}> {
  const socket = connectTls({ host: '127.0.0.1', port: listener.port, servername: 'localhost', ca: certificate.pem, ALPNProtocols: ['h2'] })
  await once(socket, 'secureConnect')
  const frames: { type: number; flags: number; payload: Buffer }[] = []
  socket.on(
    'data',
    splitFrames((type, flags, _, buffer, start, end) => frames.push({ type, flags, payload: Buffer.from(buffer.subarray(start, end)) })),
  )
  return { socket, frames, closed: once(socket, 'close') }
}

const requestBlock = Buffer.from([0x83, 0x84, 0x87]) // the fields :method POST, :path /, :scheme https

test('the simulator answers 500 requests at once, each with its own path and body', async () => {
  faults = healthy
  answer = ({ path, body }) => ({ body: `${path} ${body.toString()}`, delayMs: Number(path.slice(1)) % 3 })
  await withSession(async (session) => {
    const answers = await Promise.all(Array.from({ length: 500 }, (_, n) => post(session, `/${n}`, {}, `body ${n}`)))
    expect(answers.map((each) => each.body)).toEqual(Array.from({ length: 500 }, (_, n) => `/${n} body ${n}`))
  })
})

test('the simulator reads headers with printable Latin-1 but the space, and those too long for a frame', async () => {
  faults = healthy
  let seen: Request['headers'] = {}
  answer = ({ headers }) => {
    seen = headers
    return {}
  }
  const printable = Array.from({ length: 95 }, (_, n) => String.fromCharCode(32 + n))
    .join('')
    .trim()
  const latin = Array.from({ length: 96 }, (_, n) => String.fromCharCode(160 + n)).join('')
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`x-many-${n}`, `${n}-`.repeat(200)]))
  await withSession(
    async (session) => {
      for (let round = 0; round < 3; round++) {
        await post(session, '/', { 'x-printable': printable, 'x-latin': latin, ...many }, '')
        expect(seen['x-printable']).toBe(printable)
        expect(seen['x-latin']).toBe(latin)
        expect(seen).toMatchObject(many)
      }
    },
    { maxSendHeaderBlockLength: 65_536 },
  )
})

test('the simulator takes bodies and sends answers of 900 kB, more than the flow-control window of a stream', async () => {
  faults = healthy
  answer = ({ body }) => ({ body: body.toString('latin1') })
  const large = 'x'.repeat(900_000)
  await withSession(async (session) => {
    const answers = await Promise.all([post(session, '/', {}, large), post(session, '/', {}, large), post(session, '/', {}, large)])
    expect(answers.every((each) => each.body === large)).toBe(true)
  })
})

test('the simulator answers a client without a header table, and answers PING', async () => {
  faults = healthy
  answer = () => ({ headers: { 'apns-id': 'one' }, body: 'yes' })
  await withSession(
    async (session) => {
      await post(session, '/', {}, '')
      const answered = await post(session, '/', {}, '')
      expect(answered).toMatchObject({ status: 200, body: 'yes', headers: { 'apns-id': 'one' } })
      await new Promise<void>((resolve, reject) => session.ping((error) => (error ? reject(error) : resolve())))
    },
    { settings: { headerTableSize: 0 } },
  )
})

test('the simulator accepts padded frames and a header block that is cut into CONTINUATION frames of one byte', async () => {
  faults = healthy
  let body = ''
  answer = (request) => {
    body = request.body.toString()
    return {}
  }
  const { socket, frames } = await rawConnection()
  const padded = Buffer.concat([Buffer.from([4]), Buffer.from('padded'), Buffer.alloc(4)])
  socket.write(
    Buffer.concat([
      preface,
      settingsFrame([]),
      frame(frameType.headers, 0, 1, requestBlock.subarray(0, 1)),
      frame(frameType.continuation, 0, 1, requestBlock.subarray(1, 2)),
      frame(frameType.continuation, flag.endHeaders, 1, requestBlock.subarray(2)),
      frame(frameType.data, flag.padded, 1, padded),
      frame(frameType.data, flag.endStream, 1, Buffer.alloc(0)),
    ]),
  )
  await expect.poll(() => frames.some(({ type, flags }) => type === frameType.headers && flags & flag.endStream)).toBe(true)
  expect(body).toBe('padded')
  socket.destroy()
})

test('when the simulator sends GOAWAY, it answers each request that it has served, and the connection ends', async () => {
  faults = { ...healthy, goawayEvery: 10 }
  let served = 0
  answer = () => {
    served++
    return { delayMs: 5 }
  }
  await withSession(async (session) => {
    const lastStream = new Promise<number>((resolve) => session.on('goaway', (code, last) => resolve(last)))
    const closed = once(session, 'close')
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => post(session, '/', {}, 'x')))
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(served)
    expect(await lastStream).toBeGreaterThanOrEqual(2 * 10 - 1)
    await closed
  })
})

test('a stream that the simulator refuses is reset with REFUSED_STREAM and never served', async () => {
  faults = { ...healthy, refuseStreamShare: 1 }
  let served = 0
  answer = () => {
    served++
    return {}
  }
  await withSession(async (session) => {
    await expect(post(session, '/', {}, 'x')).rejects.toThrow(/REFUSED_STREAM/)
    faults = healthy
    expect((await post(session, '/', {}, 'x')).status).toBe(200)
  })
  expect(served).toBe(1)
})

test('a request that the simulator is set to reset ends with INTERNAL_ERROR and is never served', async () => {
  faults = { ...healthy, resetStreamShare: 1 }
  let served = 0
  answer = () => {
    served++
    return {}
  }
  await withSession(async (session) => {
    await expect(post(session, '/', {}, 'x')).rejects.toThrow(/INTERNAL_ERROR/)
    faults = healthy
    expect((await post(session, '/', {}, 'x')).status).toBe(200)
  })
  expect(served).toBe(1)
})

test('without a window the simulator takes fewer than 22 of 40 requests of 50 kB, and later the others', async () => {
  let served = 0
  answer = () => {
    served++
    return {}
  }
  await withSession(async (session) => {
    faults = { ...healthy, stallWindows: true }
    const body = 'x'.repeat(50_000)
    const posted = Promise.all(Array.from({ length: 40 }, () => post(session, '/', {}, body)))
    await expect.poll(() => served).toBeGreaterThan(0)
    expect(served).toBeLessThan(22)
    faults = healthy
    expect((await posted).map(({ status }) => status)).toEqual(Array(40).fill(200))
  })
})

test('the simulator can reset a request or never answer it, and answers another request on the same connection', async () => {
  faults = healthy
  answer = ({ path }) => (path === '/reset' ? { ending: 'reset' } : path === '/silent' ? { ending: 'silence' } : {})
  await withSession(async (session) => {
    await expect(post(session, '/reset', {}, 'x')).rejects.toThrow(/INTERNAL_ERROR/)
    let answered = false
    post(session, '/silent', {}, 'x').then(
      () => (answered = true),
      () => undefined,
    )
    expect((await post(session, '/', {}, 'x')).status).toBe(200)
    expect(answered).toBe(false)
  })
})

const protocolMistakes: [mistake: string, sent: Buffer[], code: number][] = [
  ['a wrong preface', [Buffer.from('GET / HTTP/1.1\r\n\r\n12345678')], 1],
  ['no SETTINGS first', [preface, windowUpdateFrame(0, 1)], 1],
  ['an even stream', [preface, settingsFrame([]), frame(frameType.headers, 5, 2, requestBlock)], 1],
  [
    'a stream number that goes down',
    [preface, settingsFrame([]), frame(frameType.headers, 5, 3, requestBlock), frame(frameType.headers, 5, 1, requestBlock)],
    5,
  ],
  ['DATA on an idle stream', [preface, settingsFrame([]), frame(frameType.data, 1, 1, Buffer.alloc(1))], 1],
  [
    'a header block that is not continued',
    [preface, settingsFrame([]), frame(frameType.headers, 0, 1, requestBlock), settingsFrame([])],
    1,
  ],
  ['an unknown table index', [preface, settingsFrame([]), frame(frameType.headers, 5, 1, Buffer.from([0xff, 0x20]))], 9],
  ['a broken Huffman code', [preface, settingsFrame([]), frame(frameType.headers, 5, 1, Buffer.from([0x04, 0x82, 0x00, 0x00]))], 9],
  ['a window update of 0', [preface, settingsFrame([]), windowUpdateFrame(0, 0)], 1],
  ['a frame over the limit', [preface, settingsFrame([]), frame(frameType.data, 0, 1, Buffer.alloc(16_385))], 6],
  [
    'more than the connection window',
    [
      preface,
      settingsFrame([]),
      frame(frameType.headers, 4, 1, requestBlock),
      ...Array<Buffer>(5).fill(frame(frameType.data, 0, 1, Buffer.alloc(16_384))),
    ],
    3,
  ],
]

test.each(protocolMistakes)('the simulator answers %s by ending the connection with the right error code', async (_, sent, code) => {
  faults = healthy
  answer = () => ({ ending: 'silence' })
  const { socket, frames, closed } = await rawConnection()
  socket.write(Buffer.concat(sent))
  await closed
  const goAway = frames.find(({ type }) => type === frameType.goAway)
  expect(goAway?.payload.readUInt32BE(4)).toBe(code)
})

const malformedRequests: [mistake: string, block: Buffer][] = [
  [
    'a pseudo-header after a regular one',
    Buffer.concat([Buffer.from([0x83, 0x87]), Buffer.from([0x0f, 0x0d, 1, 0x30]), Buffer.from([0x84])]),
  ],
  ['a missing path', Buffer.from([0x83, 0x87])],
  [
    'a header of HTTP/1.1',
    Buffer.concat([requestBlock, Buffer.from([0x00, 10]), Buffer.from('connection'), Buffer.from([5]), Buffer.from('close')]),
  ],
  ['a name in capitals', Buffer.concat([requestBlock, Buffer.from([0x00, 3]), Buffer.from('TtL'), Buffer.from([1, 0x30])])],
  ['a content-length that is wrong', Buffer.concat([requestBlock, Buffer.from([0x0f, 0x0d, 1, 0x37])])],
]

test.each(malformedRequests)('the simulator answers a request with %s with a reset, PROTOCOL_ERROR', async (_, block) => {
  faults = healthy
  answer = () => ({})
  const { socket, frames } = await rawConnection()
  socket.write(Buffer.concat([preface, settingsFrame([]), frame(frameType.headers, flag.endHeaders | flag.endStream, 1, block)]))
  await expect.poll(() => frames.find(({ type }) => type === frameType.resetStream)?.payload.readUInt32BE(0)).toBe(1)
  socket.destroy()
})
