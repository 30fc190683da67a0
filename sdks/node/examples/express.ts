import { HeraldError, webhooks, type WebhookEvent } from '@herald/node'
import express from 'express'

/** Use this receiver before `express.json()`: Herald signs the bytes of the body, not the parsed JSON. */
export function receiver(secrets: string[], take: (deliveryId: string, events: WebhookEvent[]) => Promise<void>) {
  return express().post('/herald', express.raw({ type: 'application/json', limit: '2mb' }), async (request, response) => {
    try {
      const { deliveryId, events } = await webhooks.verify(request.body, request.get(webhooks.signatureHeader), secrets)
      await take(deliveryId, events)
      response.sendStatus(204)
    } catch (error) {
      response.sendStatus(error instanceof HeraldError ? error.status : 500)
    }
  })
}
