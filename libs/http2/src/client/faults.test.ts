import { afterEach, expect, test } from 'vitest'
import { errorCode, frame, frameType, goAwayFrame, setting, settingsFrame, windowUpdateFrame } from '../frames.ts'
import {
  answer,
  givenScriptedServer,
  goAway,
  isRequest,
  sendTo,
  told,
  until,
  type ScriptedConnection,
  type TlsPeer,
} from '../testing/peers.ts'

// What becomes of each request when the server or the network fails, over real TLS. Time limits are long, because the machine may be busy.
const peers: Pick<TlsPeer, 'stop'>[] = []
afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.stop()
})

async function given(...script: Parameters<typeof givenScriptedServer>) {
  const peer = await givenScriptedServer(...script)
  peers.push(peer)
  return { ...peer, send: sendTo(peer) }
}

test('when a server allows no bytes of a body, such requests time out and are reset, others are answered', async () => {
  const peer = await given(
    (each, connection) => {
      if (isRequest(each) && each.flags & 1) connection.send(answer(each.streamId))
    },
    () => [[setting.initialWindowSize, 0]],
  )
  const origin = peer.open()
  const stalled = [peer.send(origin, '/', { body: 'x', timeoutMs: 300 }), peer.send(origin, '/', { body: 'y', timeoutMs: 300 })]
  const others = await Promise.all(Array.from({ length: 20 }, () => peer.send(origin)))
  expect(others.map(told)).toEqual(Array(20).fill('200'))
  expect((await Promise.all(stalled)).map(told)).toEqual(Array(2).fill('unanswered timeout timeout'))
  const [connection] = peer.connections as [ScriptedConnection]
  await until(() => connection.of(frameType.resetStream).length === 2, 'both are reset')
  expect(connection.of(frameType.resetStream).map(({ streamId, payload }) => [streamId, payload.readUInt32BE(0)])).toEqual([
    [1, errorCode.cancel],
    [3, errorCode.cancel],
  ])
  expect(connection.of(frameType.data)).toHaveLength(0)
})

test('a request that times out is reset, and a late answer to it changes nothing', async () => {
  const peer = await given((each, connection) => {
    if (each.type === frameType.resetStream) connection.send(answer(each.streamId))
    else if (isRequest(each) && each.streamId !== 1) connection.send(answer(each.streamId))
  })
  const origin = peer.open()
  expect(told(await peer.send(origin, '/', { timeoutMs: 200 }))).toBe('unanswered timeout timeout')
  await until(() => peer.connections[0]?.of(frameType.resetStream).length === 1, 'it is reset')
  expect(told(await peer.send(origin))).toBe('200')
  expect(peer.connections).toHaveLength(1)
})

test('a connection that is dead without having been closed is found by PING, and its requests are unanswered', async () => {
  const peer = await given((each, connection) => {
    if (!isRequest(each)) return
    if (connection === peer.connections[0]) connection.socket.pause()
    else connection.send(answer(each.streamId))
  })
  const origin = peer.open({ limits: { silentPingMs: 100, pingAnswerMs: 300 } })
  expect(told(await peer.send(origin))).toBe('unanswered broken PING_TIMEOUT')
  expect(told(await peer.send(origin))).toBe('200')
})

test('an idle connection stays open as long as the server answers PING', async () => {
  const peer = await given((each, connection) => {
    if (isRequest(each)) connection.send(answer(each.streamId))
    if (each.type === frameType.ping && each.flags === 0) connection.send(frame(frameType.ping, 1, 0, each.payload))
  })
  const origin = peer.open({ limits: { idlePingMs: 100, pingAnswerMs: 20_000 } })
  await peer.send(origin)
  await until(() => (peer.connections[0]?.of(frameType.ping).length ?? 0) >= 2, 'two PINGs were sent')
  expect(origin.stats.connections).toBe(1)
})

test('while a server does not read, less than 12 MB of requests wait, and later every one is answered', async () => {
  let isReading = false
  const peer = await given(
    ({ type, flags, streamId }, connection) => {
      if (type === frameType.headers && !isReading) connection.socket.pause()
      if (type === frameType.data && flags & 1) connection.send(answer(streamId))
    },
    () => [[setting.initialWindowSize, 0x7fffffff]],
  )
  const origin = peer.open({ limits: { connections: 1, bufferedBytes: 65_536 } })
  const opened = peer.send(origin, '/', { body: 'first' })
  await until(() => (peer.connections[0]?.frames.length ?? 0) > 2, 'the peer stopped reading')
  peer.connections[0]?.send(windowUpdateFrame(0, 0x7fff0000 - 65_535))
  const body = Buffer.alloc(8_000, 1)
  const before = process.memoryUsage().arrayBuffers
  const replies = Array.from({ length: 3_000 }, () => peer.send(origin, '/', { body, timeoutMs: 50_000 }))
  // The requests are 24 MB. The kernel takes some of them; the others wait as requests that are not written yet.
  await until(() => origin.stats.waiting > 0, 'requests wait')
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(12_000_000)
  isReading = true
  peer.connections[0]?.socket.resume()
  expect(new Set((await Promise.all([opened, ...replies])).map(told))).toEqual(new Set(['200']))
})

test('a server that allows one stream at a time gets the requests one by one, and every request is answered', async () => {
  let open = 0
  let most = 0
  const order: number[] = []
  const peer = await given(
    (each, connection) => {
      if (!isRequest(each)) return
      most = Math.max(most, ++open)
      order.push(each.streamId)
      setImmediate(() => {
        open--
        connection.send(answer(each.streamId))
      })
    },
    () => [[setting.maxConcurrentStreams, 1]],
  )
  const origin = peer.open({ limits: { connections: 1 } })
  const replies = await Promise.all(Array.from({ length: 200 }, () => peer.send(origin)))
  expect(replies.map(told)).toEqual(Array(200).fill('200'))
  expect(most).toBe(1)
  expect(order).toEqual(Array.from({ length: 200 }, (_, n) => 2 * n + 1))
})

// spec: providers/first-answer
test('a server that allows one stream before its first answer gets no second connection until that answer', async () => {
  let pings = 0
  let socketsBefore = 0
  const peer = await given(
    (each, connection) => {
      const isPong = each.type === frameType.ping
      if (each.streamId > 1) return connection.send(answer(each.streamId))
      if (!isPong && !isRequest(each)) return
      // The server answers the first request after five PINGs. So a second connection would have come by then.
      socketsBefore = peer.sockets.size
      if (pings++ < 5) return connection.send(frame(frameType.ping, 0, 0, Buffer.alloc(8)))
      connection.send(settingsFrame([[setting.maxConcurrentStreams, 1_000]]), answer(1))
    },
    () => [[setting.maxConcurrentStreams, 1]],
  )
  const origin = peer.open({ limits: { connections: 10 } })
  const replies = await Promise.all(Array.from({ length: 200 }, () => peer.send(origin)))
  expect(replies.map(told)).toEqual(Array(200).fill('200'))
  expect(socketsBefore).toBe(1)
  expect(peer.connections).toHaveLength(1)
})

test('the text that a server sends with a GOAWAY is passed on, at most its first 1,024 bytes', async () => {
  const events: unknown[] = []
  const peer = await given((each, connection) => {
    if (isRequest(each)) connection.send(answer(each.streamId), goAwayFrame(each.streamId, 0, '{"reason":"Shutdown"}'.padEnd(5_000)))
  })
  const origin = peer.open({ onEvent: (event) => events.push(event) })
  expect(told(await peer.send(origin))).toBe('200')
  await until(() => origin.stats.connections === 0, 'the connection has ended')
  expect(events).toContainEqual({ is: 'draining', reason: 'GOAWAY', debug: '{"reason":"Shutdown"}'.padEnd(1_024) })
})

test('while a server allows no stream, requests wait; those that time out before it allows more are unsent', async () => {
  const peer = await given(
    (each, connection) => {
      if (isRequest(each)) connection.send(answer(each.streamId))
    },
    () => [[setting.maxConcurrentStreams, 0]],
  )
  const origin = peer.open({ limits: { connections: 1 } })
  const impatient = peer.send(origin, '/', { timeoutMs: 200 })
  const patient = Array.from({ length: 5 }, () => peer.send(origin))
  expect(told(await impatient)).toBe('unsent timeout')
  expect(peer.connections[0]?.of(frameType.headers)).toHaveLength(0)
  peer.connections[0]?.send(settingsFrame([[setting.maxConcurrentStreams, 2]]))
  expect((await Promise.all(patient)).map(told)).toEqual(Array(5).fill('200'))
})

test('when one connection is full another is opened, up to the limit, each as full as the server allows', async () => {
  let isAnswering = false
  const held: (() => void)[] = []
  const peer = await given(
    (each, connection) => {
      if (!isRequest(each)) return
      const answerIt = () => connection.send(answer(each.streamId))
      if (isAnswering) answerIt()
      else held.push(answerIt)
    },
    () => [[setting.maxConcurrentStreams, 10]],
  )
  const origin = peer.open({ limits: { connections: 3 } })
  const replies = Array.from({ length: 50 }, () => peer.send(origin))
  await until(() => held.length === 30, 'three connections are full')
  expect(peer.connections.map((each) => each.of(frameType.headers).length)).toEqual([10, 10, 10])
  expect(origin.stats).toMatchObject({ connections: 3, streams: 30, waiting: 20 })
  isAnswering = true
  for (const answerIt of held) answerIt()
  expect((await Promise.all(replies)).map(told)).toEqual(Array(50).fill('200'))
  expect(peer.connections).toHaveLength(3)
})

test('when a connection has sent its most requests, it ends cleanly and further ones take the next', async () => {
  const peer = await given((each, connection) => {
    if (isRequest(each)) connection.send(answer(each.streamId))
  })
  const origin = peer.open({ limits: { requestsPerConnection: 5 } })
  for (let n = 0; n < 12; n++) expect(told(await peer.send(origin))).toBe('200')
  expect(peer.connections.map((each) => each.of(frameType.headers).length)).toEqual([5, 5, 2])
  await until(() => peer.connections[1]?.goAwayCode() === errorCode.noError, 'the client says GOAWAY')
})

test('when a connection breaks, written requests are unanswered, and waiting requests are sent over the next connection', async () => {
  const peer = await given(
    (each, connection) => {
      if (!isRequest(each)) return
      if (connection === peer.connections[0] && each.streamId > 1) {
        if (each.streamId === 5) connection.socket.destroy()
      } else connection.send(answer(each.streamId))
    },
    () => [[setting.maxConcurrentStreams, 2]],
  )
  const origin = peer.open({ limits: { connections: 1 } })
  expect(told(await peer.send(origin))).toBe('200')
  const replies = await Promise.all(Array.from({ length: 6 }, () => peer.send(origin)))
  expect(replies.map((reply) => (reply.is === 'unanswered' ? reply.why : told(reply)))).toEqual([
    'broken',
    'broken',
    '200',
    '200',
    '200',
    '200',
  ])
  expect(peer.connections.map((each) => each.of(frameType.headers).length)).toEqual([3, 4])
})

test('a server that closes every connection gets at most six connections for five requests, and each request gets the reason', async () => {
  const events: string[] = []
  const peer = await given((each, connection) => {
    if (each.type === frameType.settings) connection.socket.end()
  })
  const origin = peer.open({ limits: { backoffMs: 20, longestBackoffMs: 100 }, onEvent: (event) => events.push(event.is) })
  for (let n = 0; n < 5; n++)
    expect(['unsent closed', 'unanswered broken closed', 'refused closed']).toContain(told(await peer.send(origin)))
  await until(() => origin.stats.connections === 0, 'no connection is left')
  expect(peer.connections.length).toBeLessThanOrEqual(6)
  expect(events.filter((event) => event === 'unreachable').length).toBeGreaterThan(0)
})

test('after a server said ENHANCE_YOUR_CALM, the client waits before its next connection', async () => {
  const openedAt: number[] = []
  const peer = await given((each, connection) => {
    if (each.type === frameType.settings && each.flags === 0) openedAt.push(performance.now())
    if (!isRequest(each)) return
    connection.send(answer(each.streamId))
    if (connection === peer.connections[0]) connection.send(goAway(each.streamId, errorCode.enhanceYourCalm))
  })
  const origin = peer.open({ limits: { backoffMs: 600 } })
  expect(told(await peer.send(origin))).toBe('200')
  await until(() => origin.stats.connections === 0, 'the first connection has ended')
  expect(told(await peer.send(origin))).toBe('200')
  expect((openedAt[1] ?? 0) - (openedAt[0] ?? 0)).toBeGreaterThan(300)
})

test('a server that sends GOAWAY at once on every connection gets at most nine connections in 1.5 s', async () => {
  const peer = await given(
    (each, connection) => {
      if (each.type === frameType.settings && each.flags === 0) connection.send(goAway(0))
    },
    () => [[setting.maxConcurrentStreams, 0]],
  )
  const origin = peer.open({ limits: { backoffMs: 50 } })
  expect(told(await peer.send(origin, '/', { timeoutMs: 1_500 }))).toBe('unsent timeout')
  // There are at most nine connections, because the pauses between them are at least 25, 50, 100 ms and so on. If the pauses did not grow, there
  // would be about 40.
  expect(peer.connections.length).toBeLessThanOrEqual(9)
})

test('while as many connections as allowed are finishing after a GOAWAY, further requests wait', async () => {
  const held: (() => void)[] = []
  const peer = await given((each, connection) => {
    if (!isRequest(each)) return
    // The first request of each connection stays open; the second is answered and followed by GOAWAY.
    if (each.streamId === 1) held.push(() => connection.send(answer(1)))
    else connection.send(answer(3), goAway(3))
  })
  const origin = peer.open({ limits: { connections: 1, drainingConnections: 2 } })
  const slow = []
  for (let n = 0; n < 2; n++) {
    slow.push(peer.send(origin))
    expect(told(await peer.send(origin))).toBe('200')
  }
  expect(told(await peer.send(origin, '/', { timeoutMs: 300 }))).toBe('unsent timeout')
  const waiting = peer.send(origin)
  expect(peer.connections).toHaveLength(2)
  for (const answerIt of held) answerIt()
  expect((await Promise.all(slow)).map(told)).toEqual(['200', '200'])
  await until(() => held.length === 3, 'a third connection was opened')
  held[2]?.()
  expect(told(await waiting)).toBe('200')
})

test('closing the client finishes the requests on their way, sends GOAWAY and takes no more requests', async () => {
  const held: (() => void)[] = []
  const peer = await given(
    (each, connection) => {
      if (isRequest(each)) held.push(() => connection.send(answer(each.streamId)))
    },
    () => [[setting.maxConcurrentStreams, 2]],
  )
  const origin = peer.open({ limits: { connections: 1 } })
  const replies = Array.from({ length: 3 }, () => peer.send(origin))
  await until(() => held.length === 2, 'two are on their way')
  const closed = origin.close()
  expect(told(await (replies[2] as (typeof replies)[number]))).toBe('unsent closed')
  expect(told(await peer.send(origin))).toBe('unsent closed')
  for (const answerIt of held) answerIt()
  expect((await Promise.all(replies.slice(0, 2))).map(told)).toEqual(['200', '200'])
  await closed
  await until(() => peer.connections[0]?.goAwayCode() === errorCode.noError, 'the client says GOAWAY')
})

test('when the queue of waiting requests is full, one more request is unsent at once', async () => {
  const peer = await given(
    () => undefined,
    () => [[setting.maxConcurrentStreams, 0]],
  )
  const origin = peer.open({ limits: { queuedRequests: 10 } })
  const waiting = Array.from({ length: 10 }, () => peer.send(origin))
  expect(told(await peer.send(origin))).toBe('unsent QUEUE_FULL')
  await origin.close()
  expect((await Promise.all(waiting)).map(told)).toEqual(Array(10).fill('unsent closed'))
})
