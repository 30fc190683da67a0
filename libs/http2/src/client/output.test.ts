import { Duplex } from 'node:stream'
import { expect, test } from 'vitest'
import { frameType } from '../frames.ts'
import { givenConnection } from '../testing/given-connection.ts'
import { MemorySocket } from '../testing/memory-socket.ts'
import { Output } from './output.ts'

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('all requests of one turn of the event loop are written together, also those that a microtask begins', async () => {
  const given = givenConnection()
  await nextTurn()
  given.connection.output.flush()
  const before = given.socket.written.length
  for (let n = 0; n < 50; n++) given.open()
  await Promise.resolve()
  for (let n = 0; n < 50; n++) given.open()
  expect(given.socket.written).toHaveLength(before)
  await nextTurn()
  expect(given.socket.written).toHaveLength(before + 1)
  expect(given.sent().filter(({ type }) => type === frameType.headers)).toHaveLength(100)
})

test('when more bytes than the limit wait, they are written before the turn ends, and all bytes stay in order', async () => {
  const socket = new MemorySocket()
  const output = new Output(
    socket,
    100_000,
    () => undefined,
    () => undefined,
  )
  const frames = Array.from({ length: 400 }, (_, n) => Buffer.alloc(1 + ((n * 37) % 3_000), n))
  for (const frame of frames) output.push(frame)
  expect(socket.written.length).toBeGreaterThan(0)
  output.flush()
  expect(Buffer.concat(socket.written).equals(Buffer.concat(frames))).toBe(true)
  await nextTurn()
})

test('when a server does not read, the output is blocked above the limit, and overflows above four times it', () => {
  // This socket never finishes its first write.
  const socket = new Duplex({ read: () => undefined, write: () => undefined })
  let overflows = 0
  const output = new Output(
    socket,
    1_000,
    () => undefined,
    () => overflows++,
  )
  for (let n = 0; n < 30; n++) {
    output.push(Buffer.alloc(100))
    output.flush()
  }
  expect([output.isBlocked, overflows]).toEqual([true, 0])
  for (let n = 0; n < 11; n++) {
    output.push(Buffer.alloc(100))
    output.flush()
  }
  expect(overflows).toBe(1)
})
