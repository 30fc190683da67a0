import { HeraldError, webhooks, type WebhookEvent } from '@herald/node'

/** Use it in app/herald/route.ts: `export const POST = receiver([process.env.HERALD_WEBHOOK_SECRET!], take)`. */
export function receiver(secrets: string[], take: (deliveryId: string, events: WebhookEvent[]) => Promise<void>) {
  return async function POST(request: Request): Promise<Response> {
    try {
      const header = request.headers.get(webhooks.signatureHeader)
      const { deliveryId, events } = await webhooks.verify(await request.text(), header, secrets)
      await take(deliveryId, events)
      return new Response(null, { status: 204 })
    } catch (error) {
      return new Response(null, { status: error instanceof HeraldError ? error.status : 500 })
    }
  }
}
