import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WebhookEvent } from '@herald/contracts/webhook'
import { makeServerCertificate } from '@herald/embedded/certificate'
import type { Tenant } from '@herald/testing/tenant'

export type Receiver = {
  /** Environment variables with which the platform can reach the receiver. */
  env: Record<string, string>
  /** The body of every request, as it arrived. */
  bodies: string[]
  /** The ids of the events that arrived, by type. */
  events: Map<string, Set<string>>
  /** The longest time from an event to its first arrival, in milliseconds. A test may set it back. */
  slowestMs: number
  /** The certificate that the platform trusts, for further servers on 127.0.0.1. */
  tls: { cert: string; key: string }
  /** Registers the receiver as an endpoint of the app, and gives the endpoint's secret. */
  attach(tenant: Tenant): Promise<string>
  close(): void
}

/** Starts a webhook receiver that answers 204 to everything. */
export async function startReceiver(): Promise<Receiver> {
  const directory = mkdtempSync(join(tmpdir(), 'herald-receiver-'))
  const { ca, certificate, privateKey } = makeServerCertificate(new Date(), 2)
  const authority = join(directory, 'ca.pem')
  writeFileSync(authority, ca)
  const bodies: string[] = []
  const events: Receiver['events'] = new Map()
  const tls = { cert: certificate, key: privateKey }
  const server = createServer(tls, (request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => undefined)
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      bodies.push(body)
      for (const { type, id, ts } of (JSON.parse(body) as { events: WebhookEvent[] }).events) {
        const ids = events.get(type) ?? new Set()
        if (!ids.has(id)) receiver.slowestMs = Math.max(receiver.slowestMs, Date.now() - Date.parse(ts))
        events.set(type, ids.add(id))
      }
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const receiver: Receiver = {
    env: { NODE_EXTRA_CA_CERTS: authority, WEBHOOK_ALLOW_PRIVATE: 'true' },
    bodies,
    events,
    slowestMs: 0,
    tls,
    async attach(tenant) {
      const { status, body } = await tenant.admin<{ secret: string }>('POST', '/webhooks', { url })
      if (status !== 201) throw new Error(`the webhook was answered ${status}: ${JSON.stringify(body)}`)
      return body.secret
    },
    close() {
      server.closeAllConnections()
      server.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
  return receiver
}

/** Runs work with a receiver, which is closed afterwards even when the work fails. */
export async function withReceiver<T>(work: (receiver: Receiver) => Promise<T>): Promise<T> {
  const receiver = await startReceiver()
  try {
    return await work(receiver)
  } finally {
    receiver.close()
  }
}
