import { expect, test } from 'vitest'
import { flag, frame, frameType, setting, settingsFrame, windowUpdateFrame } from '../frames.ts'
import { givenConnection } from '../testing/given-connection.ts'
import { status200 } from '../testing/peers.ts'
import { randomFrom } from '../testing/random.ts'
import { connectionWindow } from './limits.ts'

type Given = ReturnType<typeof givenConnection>
const dataOf = (given: Given, streamId?: number) =>
  given.sent().filter((each) => each.type === frameType.data && (streamId === undefined || each.streamId === streamId))
const bytesOf = (given: Given, streamId?: number) => dataOf(given, streamId).reduce((sum, { payload }) => sum + payload.length, 0)

test('when a window shrinks while a body is being sent, the body waits until the window is positive again', () => {
  const given = givenConnection(0, [[setting.initialWindowSize, 10]])
  given.open({ body: Buffer.alloc(100, 1) })
  expect(bytesOf(given)).toBe(10)
  given.socket.arrive(settingsFrame([[setting.initialWindowSize, 5]]))
  given.socket.arrive(windowUpdateFrame(1, 5))
  expect(bytesOf(given)).toBe(10)
  given.socket.arrive(windowUpdateFrame(1, 8))
  expect(bytesOf(given)).toBe(18)
  given.socket.arrive(settingsFrame([[setting.initialWindowSize, 1_000]]))
  expect(bytesOf(given)).toBe(100)
  expect(dataOf(given).map(({ flags }) => flags & flag.endStream)).toEqual([0, 0, 1])
})

test('all streams together obey the connection’s window, with frames of at most 16,384 bytes', () => {
  const given = givenConnection(0, [
    [setting.initialWindowSize, 1_000_000],
    [setting.maxFrameSize, 1_000_000],
  ])
  given.open({ body: Buffer.alloc(60_000) })
  given.open({ body: Buffer.alloc(60_000) })
  expect(bytesOf(given)).toBe(65_535)
  // Without a window for bodies no more requests are begun.
  expect(given.connection.room()).toBe(0)
  given.socket.arrive(windowUpdateFrame(0, 20_000))
  expect(bytesOf(given)).toBe(85_535)
  given.socket.arrive(windowUpdateFrame(0, 1_000_000))
  expect([bytesOf(given, 1), bytesOf(given, 3)]).toEqual([60_000, 60_000])
  expect(Math.max(...dataOf(given).map(({ payload }) => payload.length))).toBe(16_384)
  expect(given.connection.room()).toBeGreaterThan(0)
})

test('a thousand bodies writable at once wait for a slow server, and all are sent when it reads', () => {
  for (const opening of ['SETTINGS', 'WINDOW_UPDATE'] as const) {
    const given = givenConnection(0, [[setting.initialWindowSize, 0]])
    given.socket.arrive(windowUpdateFrame(0, 100_000_000))
    for (let n = 0; n < 1_000; n++) given.open({ body: Buffer.alloc(4_000) })
    given.connection.output.flush()
    const read = given.socket.stopReading()
    const windows = Array.from({ length: 1_000 }, (_, n) => windowUpdateFrame(2 * n + 1, 4_000))
    given.socket.arrive(opening === 'SETTINGS' ? settingsFrame([[setting.initialWindowSize, 4_000]]) : Buffer.concat(windows))
    given.connection.output.flush()
    expect([given.reasons, given.connection.output.isBlocked]).toEqual([[], true])
    expect(given.socket.writableLength).toBeLessThan(1_000_000)
    // A server that reads all that was written can read the rest afterwards.
    for (let turn = 0; turn < 100; turn++) {
      read()
      given.connection.output.flush()
    }
    expect([given.reasons, bytesOf(given)]).toEqual([[], 4_000_000])
  }
})

test('with 2,000 random changes of windows no byte too many is sent, and every body is complete', () => {
  for (let seed = 0; seed < 20; seed++) {
    const random = randomFrom(seed)
    let initial = random(300)
    const given = givenConnection(0, [[setting.initialWindowSize, initial]])
    const extra = new Map<number, number>()
    let connection = 65_535
    const sizes = Array.from({ length: 5 }, () => 1 + random(40_000))
    for (const [n, size] of sizes.entries()) {
      given.open({ body: Buffer.alloc(size, n) })
      extra.set(2 * n + 1, 0)
    }
    const check = () => {
      if (bytesOf(given) > connection) throw new Error(`seed ${seed}: over the connection window`)
    }
    // A stream may have been sent as many bytes as its window had at its largest.
    const widest = new Map([...extra.keys()].map((id) => [id, initial]))
    for (let step = 0; step < 100; step++) {
      const id = 1 + 2 * random(5)
      const by = 1 + random(900)
      if (random(6) === 0) {
        initial = random(2_000)
        given.socket.arrive(settingsFrame([[setting.initialWindowSize, initial]]))
      } else if (random(4) === 0) {
        connection += by
        given.socket.arrive(windowUpdateFrame(0, by))
      } else {
        extra.set(id, (extra.get(id) ?? 0) + by)
        given.socket.arrive(windowUpdateFrame(id, by))
      }
      for (const [stream, more] of extra) widest.set(stream, Math.max(widest.get(stream) ?? 0, initial + more))
      check()
      for (const [stream, most] of widest) if (bytesOf(given, stream) > most) throw new Error(`seed ${seed}: over the window of ${stream}`)
    }
    given.socket.arrive(Buffer.concat([settingsFrame([[setting.initialWindowSize, 100_000]]), windowUpdateFrame(0, 10_000_000)]))
    expect(sizes.map((_, n) => bytesOf(given, 2 * n + 1))).toEqual(sizes)
  }
})

test('the server may send more bytes when answers are complete, and not while they are incomplete', () => {
  const given = givenConnection(70)
  const block = (id: number) => frame(frameType.headers, flag.endHeaders, id, status200)
  const data = (id: number, flags = 0) => frame(frameType.data, flags, id, Buffer.alloc(15_000))
  const updates = () => given.sent().filter(({ type, streamId }) => type === frameType.windowUpdate && streamId === 0)
  const ids = Array.from({ length: 70 }, (_, n) => 2 * n + 1)
  expect(updates()).toHaveLength(1)
  // 69 incomplete answers of 60,000 bytes take 4.14 of 4.19 MB.
  for (const id of ids.slice(0, 69)) given.socket.arrive(Buffer.concat([block(id), data(id), data(id), data(id), data(id)]))
  expect(updates()).toHaveLength(1)
  for (const id of ids.slice(0, 69)) given.socket.arrive(frame(frameType.data, flag.endStream, id, Buffer.alloc(0)))
  const returned = updates()
    .slice(1)
    .reduce((sum, { payload }) => sum + payload.readUInt32BE(0), 0)
  expect(returned).toBeGreaterThan((69 * 60_000 * 3) / 4 - connectionWindow / 4)
  expect(given.replies.slice(0, 69).every(([reply]) => reply?.is === 'answered' && reply.body.length === 60_000)).toBe(true)
})
