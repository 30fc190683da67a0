import { createServer, type Server } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeServerCertificate } from '@herald/embedded/certificate'
import type { WebhookEvent } from '@herald/contracts/webhook'
import { atEnd } from '@herald/testing/at-end'
import { trust } from '@herald/testing/trust'

/** A POST as a receiver got it. */
export type Received = {
  path: string
  headers: IncomingMessage['headers']
  /** The raw body, over which the signature is made. */
  body: string
  id: string
  events: WebhookEvent[]
  /** When the POST arrived, in Unix milliseconds. */
  at: number
}

export type Receiver = {
  /** `https://127.0.0.1:<port>`. Every path below it is an endpoint. */
  url: string
  port: number
  received: Received[]
  at: (path: string) => Received[]
  server: Server
  /** The certificate authority to trust, as PEM. */
  ca: string
}

export type Respond = (received: Received, response: ServerResponse) => void

const certificate = makeServerCertificate(new Date(), 2, ['hook.test'])

/** The certificate authority of every receiver in this test file. The process trusts it from here on. */
export const receiverAuthority = certificate.ca
trust(certificate.ca)

/** Starts an https server that keeps every POST and answers it with `respond`, by default with a 204. */
export async function startReceiver(respond: Respond = (_received, response) => response.writeHead(204).end()): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer({ cert: certificate.certificate, key: certificate.privateKey }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const { id, events } = JSON.parse(body) as { id: string; events: WebhookEvent[] }
      const one = { path: request.url ?? '', headers: request.headers, body, id, events, at: Date.now() }
      received.push(one)
      respond(one, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    received,
    at: (path) => received.filter((one) => one.path === path),
    server,
    ca: certificate.ca,
  }
}
