import { HeraldError, webhooks, type WebhookEvent } from '@herald/node'
import fastify from 'fastify'

/**
 * Herald signed the bytes of the body, so the receiver needs them. This parser holds for all routes of this instance, so give the instance no other
 * routes.
 */
export function receiver(secrets: string[], take: (deliveryId: string, events: WebhookEvent[]) => Promise<void>) {
  const app = fastify({ bodyLimit: 2_000_000 })
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler((error, _request, reply) => reply.code(error instanceof HeraldError ? error.status : 500).send())
  app.post('/herald', async (request, reply) => {
    const header = String(request.headers[webhooks.signatureHeader] ?? '')
    const { deliveryId, events } = await webhooks.verify(request.body as Buffer, header, secrets)
    await take(deliveryId, events)
    return reply.code(204).send()
  })
  return app
}
