import { goAwayFrame, frame, frameType, preface, resetFrame, settingsFrame, windowUpdateFrame } from '../frames.ts'
import { serveHttp2 } from '../server/connection.ts'
import { givenConnection } from './given-connection.ts'
import { framesOf, MemorySocket } from './memory-socket.ts'
import { literal, status200 } from './peers.ts'

/** Gives a random whole number from 0 to below its argument. */
type Random = (below: number) => number

/** How many sequences were sent, and how many connections ended with each error code. */
export type FuzzCount = { sequences: number; codes: Map<number, number> }

/**
 * The codes with which a connection may end after the other end broke a rule: PROTOCOL_ERROR, FLOW_CONTROL_ERROR, STREAM_CLOSED, FRAME_SIZE_ERROR,
 * COMPRESSION_ERROR, ENHANCE_YOUR_CALM. 0 is allowed too: it answers a GOAWAY.
 */
const allowedCodes = new Set([0, 1, 3, 5, 6, 9, 11])

/** The codes with which a stream may end: the codes of connections, and CANCEL. */
const allowedResets = new Set([...allowedCodes, 8])

const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)] as T
const bytesOf = (random: Random, length: number): Buffer => {
  const bytes = Buffer.allocUnsafe(length)
  for (let n = 0; n < length; n++) bytes[n] = random(256)
  return bytes
}

/** Frames that are wrong anywhere outside a header block, each with the code with which it must end the connection. */
const wrongAnywhere: [Buffer, number][] = [
  [frame(frameType.ping, 0, 0, Buffer.alloc(7)), 6],
  [frame(frameType.ping, 0, 1, Buffer.alloc(8)), 1],
  [frame(frameType.settings, 0, 3, Buffer.alloc(6)), 1],
  [frame(frameType.settings, 0, 0, Buffer.alloc(7)), 6],
  [settingsFrame([[5, 1]]), 1],
  [settingsFrame([[4, 0xffffffff]]), 3],
  [windowUpdateFrame(0, 0), 1],
  [frame(frameType.windowUpdate, 0, 0, Buffer.alloc(3)), 6],
  [frame(frameType.pushPromise, 4, 1, Buffer.alloc(5)), 1],
  [frame(frameType.headers, 5, 2, status200), 1],
  [frame(frameType.headers, 5, 0, status200), 1],
  [frame(frameType.data, 0, 0, Buffer.alloc(1)), 1],
  [frame(frameType.resetStream, 0, 1, Buffer.alloc(5)), 6],
  [frame(frameType.goAway, 0, 0, Buffer.alloc(5)), 6],
  [frame(frameType.continuation, 4, 1, status200), 1],
  [Buffer.from([0, 0x40, 1, 0, 0, 0, 0, 0, 1]), 6],
]

/** Changes bytes in one of the ways that break parsers. */
function mutate(random: Random, bytes: Buffer): Buffer {
  const at = random(bytes.length + 1)
  const length = random(20)
  switch (random(7)) {
    case 0:
      if (at < bytes.length) bytes[at] = random(256)
      return bytes
    case 1:
      if (at < bytes.length) bytes[at] = (bytes[at] as number) ^ (1 << random(8))
      return bytes
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytesOf(random, length), bytes.subarray(at)])
    case 3:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
    case 4:
      return bytes.subarray(0, at)
    case 5:
      return Buffer.concat([bytes, bytes.subarray(at, at + 9 + length)])
    default:
      if (at + 4 <= bytes.length) bytes.writeUInt32BE(pick(random, [0, 1, 0x7fffffff, 0x80000000, 0xffffffff]), at)
      return bytes
  }
}

function arriveInPieces(random: Random, socket: MemorySocket, bytes: Buffer): void {
  const pieces = random(3) === 0 ? 1 + random(8) : 1
  let from = 0
  for (let piece = 1; piece < pieces; piece++) {
    const to = from + random(bytes.length - from + 1)
    socket.arrive(bytes.subarray(from, to))
    from = to
  }
  socket.arrive(bytes.subarray(from))
}

/**
 * Makes valid frames in a valid order, and in nine of ten cases then adds a wrong frame or changes the bytes or the order. `mustEndWith` is the code
 * with which the connection must end, if known.
 */
function sequence(
  random: Random,
  start: Buffer[],
  units: (() => Buffer[])[],
): { bytes: Buffer; mustEndWith: number | undefined; isValid: boolean } {
  const parts = [...start]
  for (let count = 1 + random(8); count > 0; count--) parts.push(...pick(random, units)())
  const kind = random(10)
  if (kind === 0) return { bytes: Buffer.concat(parts), mustEndWith: undefined, isValid: true }
  if (kind === 1) {
    const [wrong, code] = pick(random, wrongAnywhere)
    return { bytes: Buffer.concat([...parts, wrong]), mustEndWith: code, isValid: false }
  }
  if (kind === 2) parts.push(frame(random(12), random(256), random(10), bytesOf(random, random(40))))
  if (kind === 3) parts.sort(() => random(3) - 1)
  let bytes: Buffer = Buffer.concat(parts)
  for (let times = random(4); times >= 0; times--) bytes = mutate(random, bytes)
  return { bytes, mustEndWith: undefined, isValid: false }
}

const fieldBlocks: Buffer[] = [
  Buffer.alloc(0),
  literal('apns-id', 'x'),
  Buffer.from([0x40, 1, 0x61, 1, 0x62]),
  Buffer.from([0x10, 1, 0x61, 1, 0x62]),
  // The field `custom-key: no-cache`, in the Huffman code.
  Buffer.from('008825a849e95ba97d7f86a8eb10649cbf', 'hex'),
  literal('retry-after', '5'),
]

/** Makes frames of a server: answers to some of eight requests, resets of some, and other frames. */
function serverUnits(random: Random): (() => Buffer[])[] {
  const open = new Set([1, 3, 5, 7, 9, 11, 13, 15])
  const id = () => {
    const ids = [...open]
    const chosen = ids.length > 0 ? pick(random, ids) : 1
    open.delete(chosen)
    return ids.length > 0 ? chosen : undefined
  }
  const forOne = (make: (id: number) => Buffer[]) => () => {
    const chosen = id()
    return chosen === undefined ? [] : make(chosen)
  }
  const block = () => Buffer.concat([status200, pick(random, fieldBlocks)])
  return [
    forOne((id) => [frame(frameType.headers, 5, id, block())]),
    forOne((id) => [
      frame(frameType.headers, 4, id, block()),
      frame(frameType.data, 0, id, bytesOf(random, random(30))),
      frame(frameType.data, 1, id, Buffer.alloc(0)),
    ]),
    forOne((id) => [
      frame(frameType.headers, 4, id, block()),
      frame(frameType.data, 8, id, Buffer.from([2, 65, 0, 0])),
      frame(frameType.headers, 5, id, literal('x', 'y')),
    ]),
    forOne((id) => [
      frame(frameType.headers, 1, id, block().subarray(0, 1)),
      frame(frameType.continuation, 4, id, pick(random, fieldBlocks)),
    ]),
    forOne((id) => [resetFrame(id, random(15))]),
    () => [settingsFrame([[pick(random, [1, 3, 4, 99]), random(70_000)]])],
    () => [windowUpdateFrame(0, 1 + random(1_000))],
    () => [frame(frameType.ping, random(2), 0, bytesOf(random, 8))],
    () => [frame(50 + random(50), random(256), random(20), bytesOf(random, random(10)))],
  ]
}

/**
 * Sends one sequence of a server's frames, in most cases a changed one, to Herald's client, which has eight open requests. Throws when the client
 * breaks a rule.
 */
export function fuzzClient(random: Random, count: FuzzCount): void {
  const given = givenConnection(8, [[4, pick(random, [0, 3, 65_535])]])
  const { bytes, mustEndWith, isValid } = sequence(random, [], serverUnits(random))
  const before = Buffer.concat(given.socket.written).length
  arriveInPieces(random, given.socket, bytes)
  const sent = given.sent()
  const code = sent.find(({ type }) => type === frameType.goAway)?.payload.readUInt32BE(4)
  if (isValid && code !== undefined) throw new Error(`a valid sequence ended the connection with ${code}`)
  if (mustEndWith !== undefined && code !== mustEndWith) throw new Error(`ended with ${code} instead of ${mustEndWith}`)
  judge(given.socket, bytes.length, before, code, count)
  for (const { type, payload } of sent) {
    if (type === frameType.resetStream && !allowedResets.has(payload.readUInt32BE(0)))
      throw new Error(`a stream was reset with ${payload.readUInt32BE(0)}`)
  }
  if (given.connection.streams.size > 8) throw new Error('streams appeared')
  given.socket.emit('end')
  given.socket.emit('close')
  for (const replies of given.replies) if (replies.length !== 1) throw new Error(`${replies.length} replies to one request`)
}

/** Makes frames of a client: requests and other frames. */
function clientUnits(random: Random): (() => Buffer[])[] {
  let next = 1
  const id = () => (next += 2) - 2
  const post = Buffer.from([0x83, 0x87, 0x84])
  const block = () => Buffer.concat([post, pick(random, fieldBlocks)])
  const withOne = (make: (id: number) => Buffer[]) => () => make(id())
  return [
    withOne((id) => [frame(frameType.headers, 5, id, block())]),
    withOne((id) => [frame(frameType.headers, 4, id, block()), frame(frameType.data, 1, id, bytesOf(random, random(30)))]),
    withOne((id) => [frame(frameType.headers, 1, id, block().subarray(0, 2)), frame(frameType.continuation, 4, id, Buffer.from([0x84]))]),
    withOne((id) => [
      frame(frameType.headers, 4, id, block()),
      frame(frameType.data, 8, id, Buffer.from([2, 65, 0, 0])),
      frame(frameType.headers, 5, id, literal('x', 'y')),
    ]),
    withOne((id) => [frame(frameType.headers, 4, id, block()), resetFrame(id, random(14))]),
    () => [settingsFrame([[pick(random, [1, 3, 4, 99]), random(70_000)]])],
    () => [windowUpdateFrame(0, 1 + random(1_000))],
    () => [frame(frameType.ping, random(2), 0, bytesOf(random, 8))],
    () => [frame(frameType.priority, 0, 1 + random(9), Buffer.alloc(5))],
    () => [goAwayFrame(0, 0, 'bye')],
    () => [frame(50 + random(50), random(256), random(20), bytesOf(random, random(10)))],
  ]
}

/** Sends one sequence of a client's frames, in most cases a changed one, to Herald's server. Throws when the server breaks a rule. */
export function fuzzServer(random: Random, count: FuzzCount): void {
  const socket = new MemorySocket()
  serveHttp2(socket, {
    maxConcurrentStreams: 4,
    serve: ({ body }) => ({ status: 200, headers: { 'apns-id': 'one' }, body: body.toString('latin1') }),
    isRefused: () => false,
    isGoingAway: () => false,
    onProtocolError: () => undefined,
  })
  const { bytes, mustEndWith, isValid } = sequence(
    random,
    [preface, settingsFrame([[4, pick(random, [0, 3, 65_535])]])],
    clientUnits(random),
  )
  arriveInPieces(random, socket, bytes)
  const code = framesOf(Buffer.concat(socket.written))
    .find(({ type }) => type === frameType.goAway)
    ?.payload.readUInt32BE(4)
  if (isValid && code !== undefined) throw new Error(`a valid sequence ended the connection with ${code}`)
  if (mustEndWith !== undefined && code !== mustEndWith) throw new Error(`ended with ${code} instead of ${mustEndWith}`)
  judge(socket, bytes.length, 0, code, count)
  socket.emit('close')
}

/**
 * Checks that the connection wrote at most 500 bytes plus 10 for each byte that arrived and that, if it ended, it ended with an allowed code. Then
 * counts the sequence.
 */
function judge(socket: MemorySocket, arrived: number, before: number, code: number | undefined, count: FuzzCount): void {
  const written = Buffer.concat(socket.written).length - before
  if (written > 500 + 10 * arrived) throw new Error(`${arrived} bytes brought forth ${written}`)
  if (code !== undefined && !allowedCodes.has(code)) throw new Error(`a connection ended with ${code}`)
  count.sequences++
  if (code !== undefined) count.codes.set(code, (count.codes.get(code) ?? 0) + 1)
}
