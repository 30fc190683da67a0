import { eventTypes } from '@herald/contracts/event'
import { webhookEvents } from '@herald/contracts/webhook-event'
import { unnamedField, whyNotSchema } from '@herald/testing/json-schema'
import { expect, test } from 'vitest'
import { openApiDocument } from '../../http/documents.ts'

const { delivery } = openApiDocument.webhooks ?? {}
const { post } = delivery as {
  post: { requestBody: { content: Record<string, { schema: unknown; examples: Record<string, { value: unknown }> }> } }
}
const { schema, examples } = post.requestBody.content['application/json'] ?? { schema: {}, examples: {} }
const schemas = openApiDocument.components?.schemas ?? {}
const deliveryOf = (event: object) => ({ id: 'dlv_66f0c1a2b3c4d5e6f7a8b9c0', events: [event] })

// spec: limits/document-webhooks
test('the OpenAPI document has a schema for every type of webhook event', () => {
  const { discriminator, oneOf } = schemas['WebhookEvent'] as {
    discriminator: { mapping: Record<string, string> }
    oneOf: { $ref: string }[]
  }
  expect(Object.keys(discriminator.mapping).toSorted()).toEqual([...eventTypes, 'ping'].toSorted())
  expect(new Set(Object.values(discriminator.mapping))).toEqual(new Set(oneOf.map(({ $ref }) => $ref)))
  for (const [type, reference] of Object.entries(discriminator.mapping))
    expect(schemas[reference.replace('#/components/schemas/', '')]).toMatchObject({ properties: { type: { const: type } } })
})

test('the example of a webhook delivery in the OpenAPI document matches its schema', () => {
  for (const { value } of Object.values(examples)) {
    expect(whyNotSchema(openApiDocument, schema, value)).toBeUndefined()
    expect(unnamedField(openApiDocument, schema, value)).toBeUndefined()
  }
  expect(Object.keys(examples)).toHaveLength(1)
})

test('a webhook event that lacks a field of its type, or has an unknown type, does not match the schema', () => {
  const ping = { id: `evt_${'0'.repeat(24)}`, type: 'ping', ts: '2026-01-31T08:04:30.000Z', appId: '0'.repeat(24) }
  expect(whyNotSchema(openApiDocument, schema, deliveryOf(ping))).toBeUndefined()
  expect(whyNotSchema(openApiDocument, schema, deliveryOf({ ...ping, type: 'notification.sent' }))).toContain('oneOf')
  expect(whyNotSchema(openApiDocument, schema, deliveryOf({ ...ping, type: 'notification.lost' }))).toContain('oneOf')
  expect(Object.keys(webhookEvents)).toHaveLength(eventTypes.length + 1)
})
