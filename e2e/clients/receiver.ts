import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { WebhookEvent } from '@herald/contracts/webhook'
import { inject, onTestFinished } from 'vitest'

/** A delivery of Herald, with the status that it was answered. */
export type Received = { id: string; header: string; body: string; events: WebhookEvent[]; status: number }

/**
 * Starts an https receiver of webhooks with a certificate that the shared Heralds trust, until the end of the test. It keeps each delivery, and answers
 * what `answer` gives.
 */
export async function startReceiver(answer: (body: string, header: string) => Promise<number> | number) {
  const { certificate, privateKey } = inject('receiver')
  const received: Received[] = []
  const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString()
      const header = String(request.headers['x-service-signature'])
      const { id, events } = JSON.parse(body) as { id: string; events: WebhookEvent[] }
      const take = async () => {
        const status = await answer(body, header)
        received.push({ id, header, body, events, status })
        response.writeHead(status).end()
      }
      void take()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received }
}
