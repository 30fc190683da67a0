import { expect, test } from 'vitest'
import { errorCode, flag, frame, frameType, goAwayFrame, preface, resetFrame, settingsFrame, windowUpdateFrame } from '../frames.ts'
import { framesOf, MemorySocket } from '../testing/memory-socket.ts'
import { literal } from '../testing/peers.ts'
import { serveHttp2 } from './connection.ts'
import type { Answer, Request } from './request.ts'

// The mistakes of a client (RFC 9113), and whether the server ends the stream or the connection. Stream 1 is open: only its HEADERS have come.

function givenServerSide(answer: (request: Request) => Partial<Answer> = () => ({}), maxConcurrentStreams = 10) {
  const socket = new MemorySocket()
  const mistakes: string[] = []
  const served: string[] = []
  serveHttp2(socket, {
    maxConcurrentStreams,
    serve: (request) => {
      served.push(request.path)
      return { status: 200, headers: {}, body: '', ...answer(request) }
    },
    isRefused: () => false,
    isGoingAway: () => false,
    onProtocolError: (message) => mistakes.push(message),
  })
  const sent = () => framesOf(Buffer.concat(socket.written))
  const codes = (type: number, at: number) =>
    sent()
      .filter((each) => each.type === type)
      .map(({ payload }) => payload.readUInt32BE(at))
  return {
    socket,
    mistakes,
    served,
    sent,
    goAwayCodes: () => codes(frameType.goAway, 4),
    resetCodes: () => codes(frameType.resetStream, 0),
  }
}

const none = Buffer.alloc(0)
const post = Buffer.from([0x83, 0x87, 0x84]) // the fields :method POST, :scheme https, :path /
const end = flag.endHeaders | flag.endStream
const headers = (id: number, block: Buffer, flags: number = flag.endHeaders) => frame(frameType.headers, flags, id, block)
const data = (id: number, length: number, flags = 0) => frame(frameType.data, flags, id, Buffer.alloc(length))
const open = [preface, settingsFrame([]), headers(1, post)]
const { protocolError, flowControlError, streamClosed, frameSizeError, compressionError, enhanceYourCalm } = errorCode

test.each<[section: string, mistake: string, sent: Buffer[], code: number]>([
  ['4.1', 'a frame of over 16,384 bytes', [data(1, 16_385)], frameSizeError],
  ['4.3', 'a header block that cannot be decoded', [headers(3, Buffer.from([0x80]))], compressionError],
  ['5.1', 'DATA on an idle stream', [data(3, 1)], protocolError],
  ['5.1', 'RST_STREAM on an idle stream', [resetFrame(3, 8)], protocolError],
  ['5.1', 'WINDOW_UPDATE on an idle stream', [windowUpdateFrame(3, 1)], protocolError],
  ['5.1', 'HEADERS on a closed stream', [resetFrame(1, 8), headers(1, post)], streamClosed],
  ['5.1.1', 'an even stream', [headers(2, post)], protocolError],
  ['5.1.1', 'a stream number that goes down', [headers(5, post), headers(3, post)], streamClosed],
  ['6.1', 'DATA without a stream', [data(0, 1)], protocolError],
  ['6.1', 'more padding than payload', [frame(frameType.data, flag.padded, 1, Buffer.from([2, 0]))], protocolError],
  ['6.2', 'HEADERS without a stream', [headers(0, post)], protocolError],
  ['6.2', 'HEADERS too short for their priority', [headers(3, none, flag.endHeaders | flag.priority)], frameSizeError],
  ['6.3', 'PRIORITY of a wrong size', [frame(frameType.priority, 0, 1, Buffer.alloc(4))], frameSizeError],
  ['6.3', 'PRIORITY without a stream', [frame(frameType.priority, 0, 0, Buffer.alloc(5))], protocolError],
  ['6.4', 'RST_STREAM without a stream', [resetFrame(0, 8)], protocolError],
  ['6.4', 'RST_STREAM of a wrong size', [frame(frameType.resetStream, 0, 1, none)], frameSizeError],
  ['6.5', 'SETTINGS on a stream', [frame(frameType.settings, 0, 1, none)], protocolError],
  ['6.5', 'SETTINGS of a wrong size', [frame(frameType.settings, 0, 0, Buffer.alloc(5))], frameSizeError],
  ['6.5', 'an acknowledgement with settings', [frame(frameType.settings, 1, 0, Buffer.alloc(6))], frameSizeError],
  ['6.5.2', 'SETTINGS_ENABLE_PUSH of neither 0 nor 1', [settingsFrame([[2, 2]])], protocolError],
  ['6.5.2', 'an initial window over 2^31-1', [settingsFrame([[4, 0x80000000]])], flowControlError],
  ['6.5.2', 'SETTINGS_MAX_FRAME_SIZE below 16,384', [settingsFrame([[5, 16_383]])], protocolError],
  ['6.6', 'PUSH_PROMISE', [frame(frameType.pushPromise, 4, 1, Buffer.alloc(5))], protocolError],
  ['6.7', 'PING on a stream', [frame(frameType.ping, 0, 1, Buffer.alloc(8))], protocolError],
  ['6.7', 'PING of a wrong size', [frame(frameType.ping, 0, 0, Buffer.alloc(9))], frameSizeError],
  ['6.8', 'GOAWAY on a stream', [frame(frameType.goAway, 0, 1, Buffer.alloc(8))], protocolError],
  ['6.8', 'GOAWAY of a wrong size', [frame(frameType.goAway, 0, 0, Buffer.alloc(4))], frameSizeError],
  ['6.9', 'WINDOW_UPDATE of a wrong size', [frame(frameType.windowUpdate, 0, 0, none)], frameSizeError],
  ['6.9', 'WINDOW_UPDATE of 0 on the connection', [windowUpdateFrame(0, 0)], protocolError],
  ['6.9.1', 'a connection window over 2^31-1', [windowUpdateFrame(0, 0x7fffffff)], flowControlError],
  ['6.9.1', 'DATA over the connection window', Array<Buffer>(5).fill(data(1, 16_384)), flowControlError],
  ['6.10', 'CONTINUATION of nothing', [frame(frameType.continuation, 4, 1, none)], protocolError],
  ['6.10', 'CONTINUATION on another stream', [headers(3, post, 0), frame(frameType.continuation, 4, 1, none)], protocolError],
  ['8.1', 'trailers without an end', [headers(1, literal('a', 'b'))], protocolError],
  [
    '10.5.1',
    'a header block over 64 KB',
    [headers(3, Buffer.alloc(16_000, 0x83), 0), ...Array<Buffer>(5).fill(frame(frameType.continuation, 0, 3, Buffer.alloc(16_000, 0x83)))],
    enhanceYourCalm,
  ],
  ['10.5.1', 'a list of over 256 fields', [headers(3, Buffer.alloc(300, 0x83))], enhanceYourCalm],
])('RFC 9113 section %s: after %s the server ends the connection with the right code', (_, __, sent, code) => {
  const given = givenServerSide()
  given.socket.arrive(Buffer.concat([...open, ...sent]))
  expect(given.goAwayCodes()).toEqual([code])
  expect(given.mistakes).toHaveLength(1)
  // Frames that come after the mistake are ignored.
  given.socket.arrive(headers(99, post, end))
  expect(given.served).toEqual([])
})

const block = (...parts: Buffer[]) => Buffer.concat(parts)

test.each<[section: string, mistake: string, sent: Buffer[], code: number]>([
  ['8.1.1', 'a content-length that is wrong', [headers(3, block(post, literal('content-length', '7')), end)], protocolError],
  ['8.1.1', 'a content-length that is no plain number', [headers(3, block(post, literal('content-length', '+0')), end)], protocolError],
  ['8.2.1', 'a name in capitals', [headers(3, block(post, literal('TtL', '0')), end)], protocolError],
  ['8.2.1', 'a line break in a value', [headers(3, block(post, literal('ttl', '0\r\nx: y')), end)], protocolError],
  ['8.2.1', 'a value that begins with white space', [headers(3, block(post, literal('ttl', ' 0')), end)], protocolError],
  ['8.2.2', 'a field of HTTP/1.1', [headers(3, block(post, literal('keep-alive', '5')), end)], protocolError],
  ['8.2.2', 'te of anything but trailers', [headers(3, block(post, literal('te', 'gzip')), end)], protocolError],
  [
    '8.3',
    'a pseudo-header after a regular field',
    [headers(3, block(Buffer.from([0x83, 0x87]), literal('a', 'b'), Buffer.from([0x84])), end)],
    protocolError,
  ],
  ['8.3', 'a pseudo-header of answers', [headers(3, block(post, Buffer.from([0x88])), end)], protocolError],
  ['8.3', 'a pseudo-header in trailers', [headers(3, post), headers(3, post, end)], protocolError],
  ['8.3.1', 'a pseudo-header twice', [headers(3, block(post, Buffer.from([0x84])), end)], protocolError],
  ['8.3.1', 'no path', [headers(3, Buffer.from([0x83, 0x87]), end)], protocolError],
  ['8.3.1', 'no method', [headers(3, Buffer.from([0x84, 0x87]), end)], protocolError],
  ['8.3.1', 'no scheme', [headers(3, Buffer.from([0x83, 0x84]), end)], protocolError],
  ['6.9', 'WINDOW_UPDATE of 0', [headers(3, post), windowUpdateFrame(3, 0)], protocolError],
  ['6.9.1', 'a stream window over 2^31-1', [headers(3, post), windowUpdateFrame(3, 0x7fffffff)], flowControlError],
])('RFC 9113 section %s: a request with %s is reset with the right code, and other requests are served', (_, __, sent, code) => {
  const given = givenServerSide()
  given.socket.arrive(Buffer.concat([...open, ...sent, data(1, 1, flag.endStream)]))
  expect(given.resetCodes()).toEqual([code])
  expect(given.goAwayCodes()).toEqual([])
  expect(given.served).toEqual(['/'])
})

test('a stream above the number that the server allows is refused, but its headers are decoded', () => {
  const given = givenServerSide(undefined, 1)
  const indexed = Buffer.from([0x40, 1, 0x61, 1, 0x62])
  given.socket.arrive(
    Buffer.concat([
      ...open,
      headers(3, block(post, indexed), end),
      data(1, 0, flag.endStream),
      headers(5, block(post, Buffer.from([0xbe])), end),
    ]),
  )
  expect(given.resetCodes()).toEqual([errorCode.refusedStream])
  expect(given.served).toEqual(['/', '/'])
  expect(given.mistakes).toEqual([])
})

test('answers obey a window that shrinks below zero, and continue when the window is large enough again', () => {
  const given = givenServerSide(() => ({ body: 'x'.repeat(100) }))
  const bytes = () =>
    given
      .sent()
      .filter(({ type }) => type === frameType.data)
      .reduce((sum, { payload }) => sum + payload.length, 0)
  given.socket.arrive(Buffer.concat([preface, settingsFrame([[4, 30]]), headers(1, post, end)]))
  expect(bytes()).toBe(30)
  given.socket.arrive(Buffer.concat([settingsFrame([[4, 10]]), windowUpdateFrame(1, 20)]))
  expect(bytes()).toBe(30)
  given.socket.arrive(windowUpdateFrame(1, 15))
  expect(bytes()).toBe(45)
  given.socket.arrive(settingsFrame([[4, 1_000]]))
  expect(bytes()).toBe(100)
})

test('a GOAWAY of a client, unknown frames, unknown settings and PRIORITY change nothing', () => {
  const given = givenServerSide()
  given.socket.arrive(
    Buffer.concat([
      ...open,
      goAwayFrame(0, 0, 'bye'),
      frame(99, 255, 1, none),
      settingsFrame([[99, 1]]),
      frame(frameType.priority, 0, 7, Buffer.alloc(5)),
      data(1, 0, flag.endStream),
    ]),
  )
  expect(given.served).toEqual(['/'])
  expect(given.mistakes).toEqual([])
})
