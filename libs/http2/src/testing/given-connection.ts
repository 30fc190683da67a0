import { frameType, preface, settingsFrame } from '../frames.ts'
import type { Connection } from '../client/connection.ts'
import { prepareHead } from '../client/head.ts'
import { usualLimits, type Limits } from '../client/limits.ts'
import { openConnection } from '../client/read-frames.ts'
import type { Reply } from '../client/reply.ts'
import { sendRequest } from '../client/send-request.ts'
import { Stream, type Request } from '../client/stream.ts'
import { framesOf, MemorySocket } from './memory-socket.ts'
import type { Frame } from './peers.ts'

const head = prepareHead({ authority: 'example.com', fields: [['apns-topic', 'org.example.app']] })

/** Makes a connection of Herald's client with as many open requests as `requests` says. The test acts as the server. */
export function givenConnection(requests = 0, settings: readonly (readonly [number, number])[] = [], limits: Partial<Limits> = {}) {
  const socket = new MemorySocket()
  /** All replies that each request got. A request with two replies is a mistake that a test must notice. */
  const replies: Reply[][] = []
  const reasons: string[] = []
  const owner = { roomier: () => undefined, draining: () => undefined, gone: (_: Connection, reason: string) => void reasons.push(reason) }
  const connection = openConnection(socket, { ...usualLimits, ...limits }, owner, performance.now())
  const open = (more: Partial<Request> = {}): Stream => {
    const mine: Reply[] = []
    replies.push(mine)
    const stream = new Stream(
      { head, path: '/3/device/a', body: 'hello', timeoutMs: 10_000, ...more },
      performance.now() + 10_000,
      (reply) => mine.push(reply),
    )
    sendRequest(connection, stream)
    return stream
  }
  socket.arrive(settingsFrame(settings))
  for (let n = 0; n < requests; n++) open()
  connection.output.flush()
  return {
    socket,
    connection,
    open,
    replies,
    /** Why the connection ended; empty while it is open. */
    reasons,
    /** Gives the frames that the client has sent, without the preface. */
    sent(): Frame[] {
      connection.output.flush()
      return framesOf(Buffer.concat(socket.written).subarray(preface.length))
    },
    goAwayCode(): number | undefined {
      return this.sent()
        .find(({ type }) => type === frameType.goAway)
        ?.payload.readUInt32BE(4)
    },
    resets(): { streamId: number; code: number }[] {
      return this.sent()
        .filter(({ type }) => type === frameType.resetStream)
        .map(({ streamId, payload }) => ({ streamId, code: payload.readUInt32BE(0) }))
    },
  }
}
