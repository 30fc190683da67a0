import type { ClientRequest, IncomingMessage } from 'node:http'
import { request, type Agent } from 'node:https'
import type { LookupFunction } from 'node:net'
import { destinationProblem } from '@herald/contracts/destination'
import { retryAfterMs } from '@herald/contracts/retry-after'
import { blockedAddress, refuseUnlessPublic } from '@herald/service/guarded-connect'
import { agentOn, directly, type WayOut } from '@herald/service/way-out'
import type { PostAnswer } from '../core/response.ts'

/** A POST may take this long in all, from the first name look-up to the end of the response (spec: webhooks/time-limit). */
const totalLimitMs = 10_000
const connectLimitMs = 5_000
/** The body of a response is not used. Up to this many bytes of it are read, so that the connection can be used again. */
const longestBody = 65_536
const longestHeaders = 16_384
/** A receiver may send at most this many interim responses (1xx) before its response. One that sends more has not responded. */
const mostInterim = 32

/**
 * Posts a body and gives the result, also when the POST fails. `sign` makes the signature's headers once the connection is open, so that its time `t`
 * and secret are as new as they can be.
 */
export type Post = (url: string, body: Buffer, sign: () => Record<string, string>) => Promise<PostAnswer>

/** Opens a pool of connections to the receivers. `close` ends the connections of the pool. */
export function openPost({
  allowPrivate,
  lookup,
  wayOut = directly,
  totalMs = totalLimitMs,
}: {
  allowPrivate: boolean
  lookup: LookupFunction
  wayOut?: WayOut
  totalMs?: number
}): { post: Post; close: () => void } {
  // The time-out ends idle connections. Up to 64 idle connections to one host are kept, since a handshake costs more than everything else in a
  // delivery.
  const pool = agentOn(wayOut, {
    keepAlive: true,
    maxFreeSockets: 64,
    timeout: 15_000,
    scheduling: 'lifo',
    lookup,
    connectMs: connectLimitMs,
  })
  const fresh = agentOn(wayOut, { lookup, connectMs: connectLimitMs })

  const post: Post = async (url, body, sign) => {
    const startedAt = performance.now()
    const elapsedMs = () => Math.round(performance.now() - startedAt)
    if (destinationProblem(url, { allowPrivate }) !== undefined)
      return { status: null, error: 'blocked_address', latencyMs: 0, retryAfterMs: null }
    for (let agent = pool; ; agent = fresh) {
      const left = totalMs - elapsedMs()
      const answer = await postOnce({ url, body, sign, agent, isChecked: !allowPrivate && !isProxied(url, wayOut), limitMs: left })
      // A receiver may close an idle connection just when it is used again. That is not the receiver's failure, so a new connection is tried.
      if (answer.is === 'stale' && agent === pool) continue
      if (answer.is === 'answered') return { status: answer.status, error: null, latencyMs: elapsedMs(), retryAfterMs: answer.retryAfterMs }
      const error = answer.is === 'stale' ? 'network_error' : answer.error
      return { status: null, error, latencyMs: elapsedMs(), retryAfterMs: null }
    }
  }
  const close = () => {
    pool.destroy()
    fresh.destroy()
  }
  return { post, close }
}

const isProxied = (url: string, wayOut: WayOut): boolean => {
  const { hostname, port } = new URL(url)
  return wayOut.isProxied({ host: hostname, port: Number(port || 443) })
}

type Once =
  | { is: 'answered'; status: number; retryAfterMs: number | null }
  | { is: 'failed'; error: 'timeout' | 'network_error' | 'blocked_address' }
  | { is: 'stale' }

type OnceOptions = {
  url: string
  body: Buffer
  sign: () => Record<string, string>
  agent: Agent
  /** Whether the address of the connection must be on the public internet. A connection through the proxy has the proxy's address. */
  isChecked: boolean
  limitMs: number
}

function postOnce({ url, body, sign, agent, isChecked, limitMs }: OnceOptions): Promise<Once> {
  return new Promise((resolve) => {
    const outgoing = request(url, {
      method: 'POST',
      agent,
      maxHeaderSize: longestHeaders,
      headers: {
        'content-type': 'application/json',
        'content-length': body.length,
        'user-agent': 'herald-webhooks/1',
        // The response is not decompressed, so webhooks asks for it uncompressed.
        'accept-encoding': 'identity',
      },
    })
    let timedOut = false
    const giveUp = () => {
      timedOut = true
      outgoing.destroy(new Error('time limit'))
    }
    const total = setTimeout(giveUp, limitMs)
    const connecting = setTimeout(giveUp, Math.min(connectLimitMs, limitMs))
    const end = (once: Once) => {
      clearTimeout(total)
      clearTimeout(connecting)
      resolve(once)
    }

    if (isChecked) refuseUnlessPublic(outgoing)
    outgoing.once('socket', (socket) => {
      const go = () => {
        clearTimeout(connecting)
        if (outgoing.destroyed) return
        for (const [name, value] of Object.entries(sign())) outgoing.setHeader(name, value)
        outgoing.end(body)
      }
      if (outgoing.reusedSocket) go()
      else socket.once('secureConnect', go)
    })
    let answered: Promise<void> | undefined
    let interim = 0
    outgoing.on('information', () => {
      interim += 1
      if (interim > mostInterim) outgoing.destroy(new Error('too many interim responses'))
    })
    outgoing.once('response', (response) => {
      const { statusCode = 0, headers } = response
      // Node passes on a 101 without the headers of an upgrade, and statuses below 100. Neither is a response to the POST.
      if (statusCode < 200) return void outgoing.destroy(new Error('no status of a response'))
      answered = drained(response)
      void answered.then(() => end({ is: 'answered', status: statusCode, retryAfterMs: retryAfterMs(headers['retry-after'], new Date()) }))
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (answered === undefined) end(failure(error, timedOut, outgoing))
    })
    // After a 101 with the headers of an upgrade Node closes the connection and tells only this. A listener for 'upgrade' would take the socket over,
    // and the socket's next error would end the process.
    outgoing.once('close', () => {
      if (answered === undefined) end({ is: 'failed', error: timedOut ? 'timeout' : 'network_error' })
    })
  })
}

/** Reads the body of a response to its end, at most 64 kB and within the time limit of the POST, so that the connection can be used again. */
function drained(response: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let length = 0
    response.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > longestBody) response.destroy()
    })
    response.on('error', () => undefined)
    response.once('close', resolve)
  })
}

function failure(error: NodeJS.ErrnoException, timedOut: boolean, outgoing: ClientRequest): Once {
  if (timedOut) return { is: 'failed', error: 'timeout' }
  if (error.code === blockedAddress) return { is: 'failed', error: 'blocked_address' }
  if (outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) return { is: 'stale' }
  return { is: 'failed', error: 'network_error' }
}
