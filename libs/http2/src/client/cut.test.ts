import { afterEach, expect, test, vi } from 'vitest'
import { errorCode, frame, frameType, goAwayFrame, resetFrame, settingsFrame } from '../frames.ts'
import { givenConnection } from '../testing/given-connection.ts'
import { givenScriptedServer, literal, status200, told } from '../testing/peers.ts'

vi.setConfig({ testTimeout: 120_000 })

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** Makes one byte string with the answers to five requests. Gives after how many bytes each request has its reply, and which reply. */
function givenAnswers() {
  const parts: Buffer[] = []
  let length = 0
  const decided: { after: number; reply: string }[] = []
  const say = (...frames: Buffer[]) => {
    parts.push(...frames)
    for (const each of frames) length += each.length
    return length
  }
  const long = Buffer.concat([status200, literal('apns-id', 'a'), literal('x-more', 'b'.repeat(40))])
  say(frame(frameType.headers, 4, 3, Buffer.concat([status200, literal('content-length', '6')])))
  say(frame(frameType.data, 0, 3, Buffer.from('abc')))
  decided[0] = { after: say(frame(frameType.headers, 5, 1, status200)), reply: '200' }
  say(settingsFrame([[4, 100]]), frame(frameType.ping, 0, 0, Buffer.alloc(8)))
  decided[1] = { after: say(frame(frameType.data, 1, 3, Buffer.from('def'))), reply: '200' }
  say(frame(frameType.headers, 1, 5, long.subarray(0, 10)), frame(frameType.continuation, 0, 5, long.subarray(10, 20)))
  decided[2] = { after: say(frame(frameType.continuation, 4, 5, long.subarray(20))), reply: '200' }
  decided[3] = { after: say(resetFrame(7, errorCode.refusedStream)), reply: 'refused REFUSED_STREAM' }
  decided[4] = { after: say(goAwayFrame(7, 0, 'bye')), reply: 'refused GOAWAY' }
  return { bytes: Buffer.concat(parts), decided }
}

test('wherever a connection is cut, each request gets one reply: what the server had completely said about it, otherwise unanswered', () => {
  const { bytes, decided } = givenAnswers()
  for (let cut = 0; cut <= bytes.length; cut++) {
    const given = givenConnection(5)
    given.socket.arrive(bytes.subarray(0, cut))
    given.socket.emit('end')
    given.socket.emit('close')
    const expected = decided.map(({ after, reply }) => [after <= cut ? reply : 'unanswered broken closed'])
    expect([cut, given.replies.map((replies) => replies.map(told))]).toEqual([cut, expected])
  }
})

test('answers that arrive in any two pieces give the same replies', () => {
  const { bytes, decided } = givenAnswers()
  for (let cut = 0; cut <= bytes.length; cut++) {
    const given = givenConnection(5)
    given.socket.arrive(bytes.subarray(0, cut))
    given.socket.arrive(bytes.subarray(cut))
    expect([cut, given.replies.map((replies) => replies.map(told))]).toEqual([cut, decided.map(({ reply }) => [reply])])
  }
})

test('over TLS each request gets the completely given reply, when the connection ends after every third byte', async () => {
  const { bytes, decided } = givenAnswers()
  let cut = 0
  const peer = await givenScriptedServer(({ type, streamId }, connection) => {
    if (type !== frameType.headers || streamId !== 9) return
    connection.send(bytes.subarray(0, cut))
    if (cut % 2) connection.socket.end()
    else connection.socket.destroySoon()
  })
  stops.push(peer.stop)
  for (cut = 0; cut <= bytes.length; cut += 3) {
    const origin = peer.open()
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => origin.request({ head: peer.head, path: '/', body: '', timeoutMs: 60_000 })),
    )
    const expected = decided.map(({ after, reply }) => (after <= cut ? reply : 'unanswered'))
    expect([cut, replies.map((reply) => (reply.is === 'unanswered' ? reply.is : told(reply)))]).toEqual([cut, expected])
    await origin.close()
  }
})

test('a request that was not written when the connection ends is refused, because it surely was not processed', () => {
  const given = givenConnection(1)
  given.open()
  given.socket.emit('end')
  expect(given.replies.map((replies) => replies.map(told))).toEqual([['unanswered broken closed'], ['refused closed']])
})
