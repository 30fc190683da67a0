import { HeraldError, webhooks, type WebhookEvent } from '@herald/node'
import { Hono } from 'hono'

export function receiver(secrets: string[], take: (deliveryId: string, events: WebhookEvent[]) => Promise<void>) {
  const app = new Hono()
  app.onError((error, context) => context.body(null, error instanceof HeraldError ? 400 : 500))
  app.post('/herald', async (context) => {
    const header = context.req.header(webhooks.signatureHeader)
    const { deliveryId, events } = await webhooks.verify(await context.req.arrayBuffer(), header, secrets)
    await take(deliveryId, events)
    return context.body(null, 204)
  })
  return app
}
