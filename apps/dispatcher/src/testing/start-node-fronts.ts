import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants, type ServerHttp2Stream } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareHead } from '@herald/http2/client/head'
import { openOrigin } from '@herald/http2/client/origin'
import type { Request } from '@herald/http2/client/stream'
import { afterAll } from 'vitest'
import { startNodeServer } from './start-node-server.ts'
import type { Simulator } from './start-simulator.ts'

/**
 * Starts a server of Node's own in front of each of the simulator's two APNs environments and FCM, so that nghttp2 checks every request before the
 * simulator gets it.
 */
export async function startNodeFronts({ addresses, ca }: Simulator) {
  const simulatorCa = readFileSync(ca, 'utf8')
  const fronts = await Promise.all(
    [addresses.apns, addresses.apnsSandbox, addresses.fcm].map((address) => startFront(address, simulatorCa)),
  )
  const [apns, apnsSandbox, fcm] = fronts.map(({ url }) => url.origin)
  const directory = mkdtempSync(join(tmpdir(), 'herald-fronts-'))
  afterAll(() => rmSync(directory, { recursive: true }))
  const path = join(directory, 'ca.pem')
  writeFileSync(path, [simulatorCa, ...fronts.map((front) => front.ca)].join('\n'))
  return { ...addresses, apns: apns ?? '', apnsSandbox: apnsSandbox ?? '', fcm: fcm ?? '', ca: path }
}

/** Starts a server that passes each request on to the simulator, and passes the simulator's answer, refusal or silence back. */
async function startFront(address: string, ca: string) {
  const { hostname, port, host } = new URL(address)
  // The pauses are short, so that a simulator that was away is asked again at once.
  const origin = openOrigin({ host: hostname, port: Number(port), ca, limits: { backoffMs: 10, longestBackoffMs: 50 } })
  const head = prepareHead({ authority: host, fields: [] })
  afterAll(() => origin.close())

  const answer = async (stream: ServerHttp2Stream, request: Request): Promise<void> => {
    const reply = await origin.request(request)
    if (stream.destroyed) return
    if (reply.is === 'answered') {
      stream.respond({ ':status': reply.status, ...Object.fromEntries(reply.headers) })
      stream.end(reply.body)
    } else if (reply.is === 'refused') stream.close(constants.NGHTTP2_REFUSED_STREAM)
    else if (reply.is === 'unanswered') stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    // When the simulator cannot be reached, the client loses its connection.
    else stream.session?.destroy()
  }

  return startNodeServer((stream, { headers, body }) => {
    // The client writes `content-length` itself.
    const more = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' && !name.startsWith(':') && name !== 'content-length' ? [[name, value]] : [],
    )
    void answer(stream, { head, path: headers[':path'] ?? '', more, body, timeoutMs: 60_000 })
  })
}
