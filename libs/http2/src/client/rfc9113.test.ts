import { expect, test } from 'vitest'
import { frame, goAwayFrame, resetFrame, settingsFrame, windowUpdateFrame } from '../frames.ts'
import { givenConnection } from '../testing/given-connection.ts'
import { literal, status200, told } from '../testing/peers.ts'

// The mistakes of a server (RFC 9113), whether the client ends the connection or the stream, and with which code. Streams 1 and 3 are open; stream 5
// was never begun.

const none = Buffer.alloc(0)
const bytes = (...values: number[]) => Buffer.from(values)
const [DATA, HEADERS, PRIORITY, SETTINGS, PUSH_PROMISE, PING, GOAWAY, CONTINUATION] = [0, 1, 2, 4, 5, 6, 7, 9]
const RST_STREAM = 3
const WINDOW_UPDATE = 8
const [PROTOCOL_ERROR, FLOW_CONTROL_ERROR, STREAM_CLOSED, FRAME_SIZE_ERROR, COMPRESSION_ERROR, ENHANCE_YOUR_CALM] = [1, 3, 5, 6, 9, 11]
const [END_STREAM, END_HEADERS, PADDED, WITH_PRIORITY] = [1, 4, 8, 32]
const headers = (id: number, block: Buffer, flags = END_HEADERS) => frame(HEADERS, flags, id, block)
const data = (id: number, length: number, flags = 0) => frame(DATA, flags, id, Buffer.alloc(length))
const answered = headers(1, status200, END_HEADERS | END_STREAM)
const list = (...fields: Buffer[]) => Buffer.concat([status200, ...fields])
const filledTable = Buffer.concat([bytes(0x40, 1, 0x61, 0x7f, 0xa1, 0x1e), Buffer.alloc(4_000, 0x62)])

const connectionErrors: [section: string, mistake: string, sent: Buffer[], code: number][] = [
  ['4.1', 'a frame of over 16,384 bytes', [data(1, 16_385)], FRAME_SIZE_ERROR],
  ['4.3', 'a header block that cannot be decoded', [headers(1, bytes(0xff, 0x20))], COMPRESSION_ERROR],
  ['4.3', 'a header block that cannot be decoded, on the second stream', [headers(3, bytes(0x80))], COMPRESSION_ERROR],
  ['5.1', 'HEADERS on an idle stream', [headers(5, status200)], PROTOCOL_ERROR],
  ['5.1', 'DATA on an idle stream', [data(5, 1)], PROTOCOL_ERROR],
  ['5.1', 'RST_STREAM on an idle stream', [resetFrame(5, 8)], PROTOCOL_ERROR],
  ['5.1', 'WINDOW_UPDATE on an idle stream', [windowUpdateFrame(5, 1)], PROTOCOL_ERROR],
  ['5.1', 'HEADERS after the end of an answer', [answered, headers(1, status200)], STREAM_CLOSED],
  ['5.1', 'DATA after the end of an answer', [answered, data(1, 1)], STREAM_CLOSED],
  ['5.1.1', 'a stream of the server', [headers(2, status200)], PROTOCOL_ERROR],
  ['6.1', 'DATA without a stream', [data(0, 1)], PROTOCOL_ERROR],
  ['6.1', 'more padding than payload', [headers(1, status200), frame(DATA, PADDED, 1, bytes(2, 0))], PROTOCOL_ERROR],
  ['6.1', 'padding without a length', [headers(1, status200), frame(DATA, PADDED, 1, none)], FRAME_SIZE_ERROR],
  ['6.2', 'HEADERS without a stream', [headers(0, status200)], PROTOCOL_ERROR],
  ['6.2', 'HEADERS with more padding than payload', [headers(1, bytes(9, 0x88), END_HEADERS | PADDED)], PROTOCOL_ERROR],
  ['6.2', 'HEADERS too short for their priority', [headers(1, bytes(0, 0), END_HEADERS | WITH_PRIORITY)], FRAME_SIZE_ERROR],
  ['6.2', 'a frame between HEADERS and CONTINUATION', [headers(1, status200, 0), frame(PING, 0, 0, Buffer.alloc(8))], PROTOCOL_ERROR],
  ['6.3', 'PRIORITY without a stream', [frame(PRIORITY, 0, 0, Buffer.alloc(5))], PROTOCOL_ERROR],
  ['6.3', 'PRIORITY of a wrong size', [frame(PRIORITY, 0, 1, Buffer.alloc(4))], FRAME_SIZE_ERROR],
  ['6.4', 'RST_STREAM without a stream', [resetFrame(0, 8)], PROTOCOL_ERROR],
  ['6.4', 'RST_STREAM of a wrong size', [frame(RST_STREAM, 0, 1, bytes(0, 0, 8))], FRAME_SIZE_ERROR],
  ['6.5', 'SETTINGS on a stream', [frame(SETTINGS, 0, 1, none)], PROTOCOL_ERROR],
  ['6.5', 'SETTINGS of a wrong size', [frame(SETTINGS, 0, 0, Buffer.alloc(5))], FRAME_SIZE_ERROR],
  ['6.5', 'an acknowledgement with settings', [frame(SETTINGS, 1, 0, Buffer.alloc(6))], FRAME_SIZE_ERROR],
  ['6.5.2', 'SETTINGS_ENABLE_PUSH of a server', [settingsFrame([[2, 1]])], PROTOCOL_ERROR],
  ['6.5.2', 'an initial window over 2^31-1', [settingsFrame([[4, 0x80000000]])], FLOW_CONTROL_ERROR],
  ['6.5.2', 'SETTINGS_MAX_FRAME_SIZE below 16,384', [settingsFrame([[5, 16_383]])], PROTOCOL_ERROR],
  ['6.5.2', 'SETTINGS_MAX_FRAME_SIZE over 2^24-1', [settingsFrame([[5, 16_777_216]])], PROTOCOL_ERROR],
  ['6.6', 'PUSH_PROMISE', [frame(PUSH_PROMISE, 4, 1, bytes(0, 0, 0, 2, 0x82))], PROTOCOL_ERROR],
  ['6.7', 'PING on a stream', [frame(PING, 0, 1, Buffer.alloc(8))], PROTOCOL_ERROR],
  ['6.7', 'PING of a wrong size', [frame(PING, 0, 0, Buffer.alloc(7))], FRAME_SIZE_ERROR],
  ['6.8', 'GOAWAY on a stream', [frame(GOAWAY, 0, 1, Buffer.alloc(8))], PROTOCOL_ERROR],
  ['6.8', 'GOAWAY of a wrong size', [frame(GOAWAY, 0, 0, Buffer.alloc(7))], FRAME_SIZE_ERROR],
  ['6.8', 'a second GOAWAY with a higher last stream', [goAwayFrame(1, 0, ''), goAwayFrame(3, 0, '')], PROTOCOL_ERROR],
  ['6.9', 'WINDOW_UPDATE of a wrong size', [frame(WINDOW_UPDATE, 0, 0, bytes(0, 0, 1))], FRAME_SIZE_ERROR],
  ['6.9', 'WINDOW_UPDATE of 0 on the connection', [windowUpdateFrame(0, 0)], PROTOCOL_ERROR],
  ['6.9.1', 'a connection window over 2^31-1', [windowUpdateFrame(0, 0x7fffffff)], FLOW_CONTROL_ERROR],
  [
    '6.9.2',
    'an initial window that lifts a stream over 2^31-1',
    [windowUpdateFrame(1, 100), settingsFrame([[4, 0x7fffffff]])],
    FLOW_CONTROL_ERROR,
  ],
  // The parts of incomplete answers count for the window. Here each byte of body has 255 bytes of padding.
  [
    '6.9.1',
    'DATA over the connection window',
    [headers(1, status200), ...Array<Buffer>(16_400).fill(frame(DATA, PADDED, 1, Buffer.concat([bytes(255), Buffer.alloc(256)])))],
    FLOW_CONTROL_ERROR,
  ],
  ['6.10', 'CONTINUATION of nothing', [frame(CONTINUATION, 4, 1, status200)], PROTOCOL_ERROR],
  ['6.10', 'CONTINUATION after END_HEADERS', [headers(1, status200), frame(CONTINUATION, 4, 1, none)], PROTOCOL_ERROR],
  ['6.10', 'CONTINUATION on another stream', [headers(1, status200, 0), frame(CONTINUATION, 4, 3, none)], PROTOCOL_ERROR],
  ['4.2 of RFC 7541', 'a table size update after a field', [headers(1, bytes(0x88, 0x20))], COMPRESSION_ERROR],
  ['6.3 of RFC 7541', 'a table larger than our 4,096', [headers(1, bytes(0x3f, 0xe2, 0x1f, 0x88))], COMPRESSION_ERROR],
  ['6.1 of RFC 7541', 'the index 0', [headers(1, bytes(0x80))], COMPRESSION_ERROR],
  ['5.1 of RFC 7541', 'an integer without end', [headers(1, bytes(0xff, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01))], COMPRESSION_ERROR],
  ['5.2 of RFC 7541', 'a string that is cut off', [headers(1, bytes(0x00, 5, 0x61))], COMPRESSION_ERROR],
  ['5.2 of RFC 7541', 'EOS in a Huffman string', [headers(1, bytes(0x00, 1, 0x61, 0x84, 0xff, 0xff, 0xff, 0xff))], COMPRESSION_ERROR],
  // Floods: one such frame is allowed, and thousands are not (sections 10.5 and 10.5.1).
  ['10.5', 'a flood of PING', Array<Buffer>(3_000).fill(frame(PING, 0, 0, Buffer.alloc(8))), ENHANCE_YOUR_CALM],
  ['10.5', 'a flood of SETTINGS', Array<Buffer>(3_000).fill(settingsFrame([])), ENHANCE_YOUR_CALM],
  ['10.5', 'a flood of settings in one frame', [settingsFrame(Array.from({ length: 65 }, () => [4, 100] as const))], ENHANCE_YOUR_CALM],
  ['10.5', 'a flood of empty DATA', [headers(1, status200), ...Array<Buffer>(3_000).fill(data(1, 0))], ENHANCE_YOUR_CALM],
  ['10.5', 'a flood of PRIORITY', Array<Buffer>(3_000).fill(frame(PRIORITY, 0, 1, Buffer.alloc(5))), ENHANCE_YOUR_CALM],
  ['10.5', 'a flood of windows', Array<Buffer>(3_000).fill(windowUpdateFrame(0, 1)), ENHANCE_YOUR_CALM],
  ['10.5', 'a flood of frames without a meaning', Array<Buffer>(3_000).fill(frame(99, 0, 0, none)), ENHANCE_YOUR_CALM],
  [
    '10.5',
    'a flood of interim answers',
    Array<Buffer>(3_000).fill(headers(1, Buffer.concat([bytes(0x08, 3), Buffer.from('103')]))),
    ENHANCE_YOUR_CALM,
  ],
  ['10.5', 'a flood of RST_STREAM', Array<Buffer>(3_000).fill(resetFrame(1, 8)), ENHANCE_YOUR_CALM],
  [
    '10.5.1',
    'CONTINUATION without end',
    [headers(1, status200, 0), ...Array<Buffer>(40).fill(frame(CONTINUATION, 0, 1, none))],
    ENHANCE_YOUR_CALM,
  ],
  [
    '10.5.1',
    'a header block over 16 KB',
    [headers(1, Buffer.alloc(16_000, 0x88), 0), frame(CONTINUATION, 4, 1, Buffer.alloc(1_000, 0x88))],
    ENHANCE_YOUR_CALM,
  ],
]

test.each(connectionErrors)(
  'section %s (of RFC 9113 unless it names another): after %s the client ends the connection with the right code',
  (_, __, sent, code) => {
    const given = givenConnection(2)
    given.socket.arrive(Buffer.concat(sent))
    expect(given.goAwayCode()).toBe(code)
    expect(given.connection.isGone).toBe(true)
    expect(given.reasons).toHaveLength(1)
    for (const replies of given.replies) expect(replies).toHaveLength(1)
  },
)

test.each<[mistake: string, sent: Buffer[], code: number]>([
  ['a first frame that is not SETTINGS', [windowUpdateFrame(0, 1)], PROTOCOL_ERROR],
  ['an acknowledgement of SETTINGS before the server’s own SETTINGS', [frame(SETTINGS, 1, 0, none)], PROTOCOL_ERROR],
  ['an answer in HTTP/1.1', [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')], FRAME_SIZE_ERROR],
])('RFC 9113 section 3.4: after %s the client ends the connection', (_, sent, code) => {
  const given = givenConnection(0)
  given.connection.sawSettings = false
  given.socket.arrive(Buffer.concat(sent))
  expect(given.goAwayCode()).toBe(code)
})

const streamErrors: [section: string, mistake: string, sent: Buffer[], code: number][] = [
  ['6.9', 'WINDOW_UPDATE of 0', [windowUpdateFrame(1, 0)], PROTOCOL_ERROR],
  ['6.9.1', 'a stream window over 2^31-1', [windowUpdateFrame(1, 0x7fffffff)], FLOW_CONTROL_ERROR],
  ['8.1', 'DATA before HEADERS', [data(1, 1, END_STREAM)], PROTOCOL_ERROR],
  ['8.1', 'trailers without an end', [headers(1, status200), headers(1, literal('x', 'y'))], PROTOCOL_ERROR],
  ['8.1', 'an interim answer that ends the stream', [headers(1, Buffer.concat([bytes(0x08, 3), Buffer.from('103')]), 5)], PROTOCOL_ERROR],
  ['8.1.1', 'a content-length that is wrong', [headers(1, list(literal('content-length', '5'))), data(1, 4, END_STREAM)], PROTOCOL_ERROR],
  ['8.1.1', 'a content-length without a body', [headers(1, list(literal('content-length', '5')), 5)], PROTOCOL_ERROR],
  ['8.3', 'a pseudo-header after a regular field', [headers(1, Buffer.concat([literal('a', 'b'), status200]))], PROTOCOL_ERROR],
  ['8.3.2', 'an answer without :status', [headers(1, literal('a', 'b'))], PROTOCOL_ERROR],
  ['8.3.2', 'a :status after a regular field, of an answer with another', [headers(1, list(literal('a', 'b'), status200))], PROTOCOL_ERROR],
  ['8.3.2', 'an answer with two :status', [headers(1, Buffer.concat([status200, status200]))], PROTOCOL_ERROR],
  ['8.3.2', 'a :status that is no number', [headers(1, Buffer.concat([bytes(0x08, 3), Buffer.from('2e2')]))], PROTOCOL_ERROR],
  ['8.6', 'an answer with the status 101', [headers(1, Buffer.concat([bytes(0x08, 3), Buffer.from('101')]))], PROTOCOL_ERROR],
  ['10.5.1', 'a header list of over 128 fields', [headers(1, Buffer.alloc(129, 0x88), 5)], ENHANCE_YOUR_CALM],
  // Five uses of an entry of 4,001 bytes: 4 KB in the frame, 20 KB in the list.
  ['10.5.1', 'a header list of over 16 KB', [headers(1, list(filledTable, bytes(0xbe, 0xbe, 0xbe, 0xbe)), 5)], ENHANCE_YOUR_CALM],
]

test.each(streamErrors)('RFC 9113 section %s: after %s the client resets the stream only, with the right code', (_, __, sent, code) => {
  const given = givenConnection(2)
  given.socket.arrive(Buffer.concat(sent))
  expect(given.goAwayCode()).toBeUndefined()
  expect(given.resets()).toEqual([{ streamId: 1, code }])
  expect(given.replies[0]?.map((reply) => reply.is)).toEqual(['unanswered'])
  expect(given.connection.isGone).toBe(false)
  // The header table is still right too.
  given.socket.arrive(Buffer.concat([headers(3, status200), data(3, 2, END_STREAM)]))
  expect(given.replies[1]?.map(told)).toEqual(['200'])
})

test.each<[what: string, sent: Buffer[], reply: string]>([
  ['an answer without a body', [answered], '200'],
  ['an interim answer before the answer', [headers(1, Buffer.concat([bytes(0x08, 3), Buffer.from('103')])), answered], '200'],
  ['padded frames', [headers(1, bytes(2, 0x88, 0, 0), END_HEADERS | PADDED), frame(DATA, PADDED | END_STREAM, 1, bytes(1, 65, 0))], '200'],
  ['HEADERS with a priority', [headers(1, Buffer.concat([Buffer.alloc(5), status200]), END_HEADERS | END_STREAM | WITH_PRIORITY)], '200'],
  [
    'a block cut into CONTINUATION frames, some of them empty',
    [headers(1, none, END_STREAM), frame(CONTINUATION, 0, 1, none), frame(CONTINUATION, 4, 1, status200)],
    '200',
  ],
  ['trailers', [headers(1, status200), data(1, 3), headers(1, literal('x', 'y'), 5)], '200'],
  ['a content-length that is right', [headers(1, list(literal('content-length', '3'))), data(1, 2), data(1, 1, END_STREAM)], '200'],
  ['a 304 with the length of what it leaves out', [headers(1, Buffer.concat([bytes(0x8b), literal('content-length', '9')]), 5)], '304'],
  ['frames of unknown types between, and unknown settings', [frame(77, 255, 1, none), settingsFrame([[99, 1]]), answered], '200'],
  [
    'a body of exactly 64 KB',
    [headers(1, status200), ...Array.from({ length: 4 }, (_, n) => data(1, 16_384, n === 3 ? END_STREAM : 0))],
    '200',
  ],
  ['a first GOAWAY without a last stream, as a warning', [goAwayFrame(0x7fffffff, 0, ''), goAwayFrame(3, 0, ''), answered], '200'],
])('the client accepts %s', (_, sent, reply) => {
  const given = givenConnection(2)
  // The answer comes once byte by byte, and once in one piece.
  for (const byte of Buffer.concat(sent)) given.socket.arrive(Buffer.from([byte]))
  expect(given.replies[0]?.map(told)).toEqual([reply])
  const whole = givenConnection(2)
  whole.socket.arrive(Buffer.concat(sent))
  expect(whole.replies[0]).toEqual(given.replies[0])
})

// spec: providers/odd-fields
test.each<[what: string, field: Buffer]>([
  ['a content-length that is no number', literal('content-length', '1e1')],
  ['two lengths', Buffer.concat([literal('content-length', '0'), literal('content-length', '0')])],
  ['a name in capitals', literal('X-Upper', 'a')],
  ['an empty name', literal('', 'a')],
  ['a name with a space', literal('a b', 'a')],
  ['a name with a colon', literal('a:b', 'a')],
  ['a line break in a value', literal('a', 'b\r\nc')],
  ['a NUL in a value', literal('a', 'b\0c')],
  ['a value that ends in a blank', literal('a', 'b ')],
  ['a value that begins with a tab', literal('a', '\tb')],
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'te'].map((name): [string, Buffer] => [
    `the field ${name}, which belongs to HTTP/1.1`,
    literal(name, 'chunked'),
  ]),
  ['a pseudo-header of requests', bytes(0x84)],
  ['an unknown pseudo-header', literal(':server', 'x')],
])('an answer with %s counts, and only that field is dropped', (_, field) => {
  const given = givenConnection(2)
  given.socket.arrive(Buffer.concat([headers(1, list(field, literal('retry-after', '7'))), data(1, 3, END_STREAM)]))
  expect(given.replies[0]).toMatchObject([{ is: 'answered', status: 200, body: Buffer.alloc(3) }])
  const [reply] = given.replies[0] ?? []
  const names = reply?.is === 'answered' ? [...reply.headers.keys()] : []
  expect(names.filter((name) => name !== 'content-length')).toEqual(['retry-after'])
  expect(given.resets()).toEqual([])
  // The same field in trailers changes nothing either.
  given.socket.arrive(Buffer.concat([headers(3, status200), data(3, 2), headers(3, field, END_HEADERS | END_STREAM)]))
  expect(given.replies[1]?.map(told)).toEqual(['200'])
})

test.each([
  ['goes on', 0, [{ streamId: 1, code: 8 }]],
  ['ends there', END_STREAM, []],
])('an answer whose body is over 64 KB and %s counts, with its first 64 KB, and frees its bytes', (_, flags, resets) => {
  const given = givenConnection(2)
  given.socket.arrive(Buffer.concat([headers(1, status200), ...Array.from({ length: 5 }, (__, n) => data(1, 13_200, n === 4 ? flags : 0))]))
  expect(given.replies[0]).toMatchObject([{ is: 'answered', status: 200 }])
  expect(given.replies[0]?.map((reply) => reply.is === 'answered' && reply.body.length)).toEqual([65_536])
  expect(given.resets()).toEqual(resets)
  expect(given.connection.returnedBytes).toBe(5 * 13_200)
  given.socket.arrive(Buffer.concat([headers(3, status200), data(3, 2, END_STREAM)]))
  expect(given.replies[1]?.map(told)).toEqual(['200'])
})

test('the client answers a PING with the bytes of the PING, and acknowledges SETTINGS', () => {
  const given = givenConnection()
  given.socket.arrive(Buffer.concat([frame(PING, 0, 0, Buffer.from('12345678')), frame(PING, 1, 0, Buffer.from('no reply'))]))
  const sent = given.sent()
  expect(sent.filter(({ type }) => type === PING).map(({ flags, payload }) => [flags, payload.toString()])).toEqual([[1, '12345678']])
  expect(sent.filter(({ type, flags }) => type === SETTINGS && flags === 1)).toHaveLength(1)
})

test('the client’s SETTINGS forbid server push and streams of the server, and say how large a header list may be', () => {
  const settings = givenConnection().sent()[0]
  expect(settings?.payload.toString('hex')).toBe('000200000000000300000000000600004000')
})

test('frames on a stream that the client reset are ignored, but their headers are decoded', () => {
  const given = givenConnection(2)
  const [stream] = given.connection.streams.values()
  given.connection.resetStream(stream as NonNullable<typeof stream>, 8)
  // Stream 1 puts an entry into the table, and stream 3 uses it.
  given.socket.arrive(
    Buffer.concat([headers(1, list(bytes(0x40, 1, 0x61, 1, 0x62))), data(1, 10, END_STREAM), headers(3, list(bytes(0xbe)), 5)]),
  )
  expect(given.replies[1]).toMatchObject([{ is: 'answered', headers: new Map([['a', 'b']]) }])
  given.socket.arrive(data(1, 1))
  expect(given.goAwayCode()).toBe(STREAM_CLOSED)
})

test('late answers to 999 timed-out requests are no flood; 3,000 late HEADERS on one stream are', () => {
  const given = givenConnection(1_000)
  given.connection.tick(performance.now() + 20_000)
  expect(new Set(given.replies.flat().map(told))).toEqual(new Set(['unanswered timeout timeout']))
  const ids = Array.from({ length: 1_000 }, (_, n) => 2 * n + 1)
  given.socket.arrive(Buffer.concat(ids.slice(1).flatMap((id) => [headers(id, status200), data(id, 10, END_STREAM)])))
  expect(given.goAwayCode()).toBeUndefined()
  for (let n = 0; n < 3_000; n++) given.socket.arrive(headers(1, status200))
  expect(given.goAwayCode()).toBe(ENHANCE_YOUR_CALM)
})

test('when a server sends HEADERS on a stream that its late answer has ended, the client closes the connection', () => {
  const given = givenConnection(1)
  given.connection.tick(performance.now() + 20_000)
  given.socket.arrive(answered)
  expect(given.goAwayCode()).toBeUndefined()
  given.socket.arrive(headers(1, status200))
  expect(given.goAwayCode()).toBe(STREAM_CLOSED)
})
