import { webhookEvents } from '@herald/contracts/webhook-event'
import type { OpenAPIObject, OpenApiBuilder } from 'openapi3-ts/oas31'
import type { WebhookEvent } from '@herald/contracts/webhook'
import { addSchema } from './openapi.ts'

const exampleEvent = {
  id: 'evt_0f1e2d3c4b5a69788796a5b4',
  type: 'notification.failed',
  ts: '2026-01-31T08:04:30.000Z',
  appId: '671a2b3c4d5e6f7081920a06',
  campaignId: '671a2b3c4d5e6f7081920a05',
  userId: '671a2b3c4d5e6f7081920a02',
  subscriptionId: '671a2b3c4d5e6f7081920a01',
  platform: 'ios',
  externalId: 'customer-4711',
  data: { code: 'token_dead', providerCode: '410 Unregistered', attempts: 1 },
} satisfies WebhookEvent

/** Describes what Herald posts to an app's webhook endpoints (spec: limits/document-webhooks). One request has the events of up to a second. */
export function describeDeliveries(builder: OpenApiBuilder): NonNullable<OpenAPIObject['webhooks']> {
  const byType = Object.entries(webhookEvents).map(([type, schema]) => [type, addSchema(builder, nameOf(type), schema)] as const)
  builder.addSchema('WebhookEvent', {
    description: 'What happened. New types and fields may be added: ignore what you do not know.',
    oneOf: byType.map(([, schema]) => schema),
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(byType.map(([type, schema]) => [type, String(schema.$ref)])) },
  })
  builder.addSchema('WebhookDelivery', {
    type: 'object',
    required: ['id', 'events'],
    properties: {
      id: { type: 'string', pattern: '^dlv_[0-9a-f]{24}$', description: 'The same whenever this delivery is tried again.' },
      events: { type: 'array', minItems: 1, maxItems: 100, items: { $ref: '#/components/schemas/WebhookEvent' } },
    },
  })
  return {
    delivery: {
      post: {
        operationId: 'receiveWebhookDelivery',
        tags: ['webhooks'],
        summary: 'Events of up to one second, at most 100, posted to each endpoint that asks for them',
        description:
          'Verify the signature on the raw body before parsing it, answer 2xx within 10 seconds, and work on the events later. A delivery may come again, and events may come out of order.',
        security: [],
        parameters: [
          {
            name: 'x-service-signature',
            in: 'header',
            required: true,
            description: 'Unix seconds, and the hex HMAC-SHA256 of `<t>.<raw body>` keyed with the endpoint’s secret.',
            schema: { type: 'string', pattern: '^t=\\d+,v1=[0-9a-f]{64}$' },
          },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/WebhookDelivery' },
              examples: { 'a push that failed': { value: { id: 'dlv_66f0c1a2b3c4d5e6f7a8b9c0', events: [exampleEvent] } } },
            },
          },
        },
        responses: {
          '2XX': { description: 'Received. Herald looks at the status alone.' },
          default: {
            description: 'After 408, 429, 5xx or no answer Herald tries again, 5 times in all. After any other status it gives up.',
          },
        },
      },
    },
  }
}

/** Makes the name of a schema from the type of an event: NotificationSentEvent from `notification.sent`. */
const nameOf = (type: string): string =>
  `${type
    .split('.')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}Event`
