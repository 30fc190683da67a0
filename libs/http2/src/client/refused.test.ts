import { afterEach, expect, test } from 'vitest'
import { errorCode, frame, frameType, resetFrame } from '../frames.ts'
import { answer, givenScriptedServer, goAway, isRequest, sendTo, told, until, type TlsPeer } from '../testing/peers.ts'

// GOAWAY and RST_STREAM over real TLS: which requests were surely not processed, and which may have been.
const peers: Pick<TlsPeer, 'stop'>[] = []
afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.stop()
})

async function given(...script: Parameters<typeof givenScriptedServer>) {
  const peer = await givenScriptedServer(...script)
  peers.push(peer)
  return { ...peer, send: sendTo(peer) }
}

test('after GOAWAY, requests above its last stream are refused, others finished, later ones on a new connection', async () => {
  const peer = await given(({ type, streamId }, connection) => {
    if (type !== frameType.headers) return
    if (connection !== peer.connections[0]) return connection.send(answer(streamId))
    // Ten requests are open, on the streams 1 to 19. Two are answered before the GOAWAY and three after it. It leaves five out.
    if (streamId === 19) connection.send(answer(1), answer(3), goAway(9), answer(5), answer(9), answer(7))
  })
  const origin = peer.open()
  const replies = await Promise.all(Array.from({ length: 10 }, () => peer.send(origin)))
  expect(replies.map(told)).toEqual([...Array<string>(5).fill('200'), ...Array<string>(5).fill('refused GOAWAY')])
  expect(told(await peer.send(origin))).toBe('200')
  expect(peer.connections).toHaveLength(2)
  // The first connection ended cleanly.
  await until(() => peer.connections[0]?.goAwayCode() === errorCode.noError, 'the client says GOAWAY')
  expect(peer.connections[0]?.of(frameType.headers)).toHaveLength(10)
})

test('when GOAWAY comes in two steps, the first refuses no request, and new requests go to another connection', async () => {
  const peer = await given((each, connection) => {
    if (!isRequest(each)) return
    if (connection !== peer.connections[0]) return connection.send(answer(each.streamId))
    connection.send(goAway(0x7fffffff))
  })
  const events: string[] = []
  const origin = peer.open({ onEvent: ({ is }) => events.push(is) })
  const first = peer.send(origin)
  await until(() => events.includes('draining'), 'the client knows of the GOAWAY')
  const later = peer.send(origin)
  expect(told(await later)).toBe('200')
  expect(peer.connections).toHaveLength(2)
  peer.connections[0]?.send(goAway(1), answer(1))
  expect(told(await first)).toBe('200')
})

test('after a GOAWAY with an error the left-out requests are refused, the others unanswered unless answered before', async () => {
  const peer = await given(({ type, streamId }, connection) => {
    if (type !== frameType.headers || streamId !== 5) return
    connection.send(answer(1), goAway(3, errorCode.enhanceYourCalm))
    connection.socket.end()
  })
  const origin = peer.open()
  const replies = await Promise.all([peer.send(origin), peer.send(origin), peer.send(origin)])
  expect(replies.map(told)).toEqual(['200', 'unanswered broken closed', 'refused ENHANCE_YOUR_CALM'])
})

test.each([
  [errorCode.refusedStream, 'refused REFUSED_STREAM'],
  [errorCode.noError, 'unanswered broken NO_ERROR'],
  [errorCode.protocolError, 'unanswered broken PROTOCOL_ERROR'],
  [errorCode.internalError, 'unanswered broken INTERNAL_ERROR'],
  [errorCode.cancel, 'unanswered broken CANCEL'],
  [errorCode.enhanceYourCalm, 'unanswered broken ENHANCE_YOUR_CALM'],
  [errorCode.http11Required, 'unanswered broken HTTP_1_1_REQUIRED'],
  [4_000_000_000, 'unanswered broken INTERNAL_ERROR'],
])('an RST_STREAM with the code %i ends one request only, as %s', async (code, expected) => {
  const peer = await given((each, connection) => {
    if (isRequest(each)) connection.send(each.streamId === 3 ? resetFrame(3, code) : answer(each.streamId))
  })
  const origin = peer.open()
  const replies = await Promise.all([peer.send(origin), peer.send(origin), peer.send(origin)])
  expect(replies.map(told)).toEqual(['200', expected, '200'])
  expect(peer.connections).toHaveLength(1)
})

test('a REFUSED_STREAM after an answer has begun does not count as refused, because the request was processed', async () => {
  const peer = await given(({ type, streamId }, connection) => {
    if (type === frameType.headers)
      connection.send(frame(frameType.headers, 4, streamId, Buffer.from([0x88])), resetFrame(streamId, errorCode.refusedStream))
  })
  expect(told(await peer.send(peer.open()))).toBe('unanswered broken REFUSED_STREAM')
})
