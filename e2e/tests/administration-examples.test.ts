import { http } from '@herald/testing/herald'
import { whyNotSchema } from '@herald/testing/json-schema'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { beforeAll, expect, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'
import { ok } from './campaigns.ts'

// The examples of the administration's OpenAPI document are sent to a running platform.

type Json = Record<string, unknown>
type Operation = { path: string; method: string; operation: Json }

const herald = await sharedPlatform()
let tenant: Tenant
let document: Json
let operations: Operation[]
beforeAll(async () => {
  tenant = await givenTenant(herald)
  document = (await call<Json>('GET', '/v1/admin/openapi.json')).body
  operations = Object.entries(document['paths'] as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
})
const call = <Body>(method: string, path: string, body?: unknown) =>
  http<Body>(method, `${herald.baseUrl}${path}`, { headers: { authorization: `Bearer ${herald.adminToken}` }, body })
const made = async (path: string, body: unknown) => ok(await tenant.admin<{ id: string }>('POST', path, body), 201).id

/** Gives a function that replaces the ids and the token in the document's examples by those of real things. */
async function makeReal(): Promise<(text: string) => string> {
  const content = { _default: 'en', en: { title: 'Hello', body: 'There is news' } }
  const [phone] = await tenant.makeDevices('ios', 1)
  if (!phone) throw new Error('the simulator made no device')
  const { id: subscriptionId, userId } = await tenant.register(phone, { externalId: 'customer-4711' })
  ok(await tenant.admin('PATCH', `/subscriptions/${subscriptionId}`, { test: true }), 200)
  const ids: Record<string, string> = {
    '671a2b3c4d5e6f7081920a01': subscriptionId,
    '671a2b3c4d5e6f7081920a02': userId,
    '671a2b3c4d5e6f7081920a03': await made('/segments', { name: 'Real', definition: {} }),
    '671a2b3c4d5e6f7081920a04': await made('/templates', { name: 'Real', content }),
    '671a2b3c4d5e6f7081920a05': await made('/campaigns', { name: 'Real', content }),
    '671a2b3c4d5e6f7081920a06': tenant.appId,
    '740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61c0ffee': phone.token ?? '',
  }
  return (text) => Object.entries(ids).reduce((replaced, [example, real]) => replaced.replaceAll(example, real), text)
}

/** Compares the JSON body of an answer with the schema in the document. Gives why they do not fit, or undefined. */
function whyNotDescribed(operation: Json, status: number, body: unknown): string | undefined {
  const responses = operation['responses'] as Record<string, { content?: Record<string, { schema: unknown }> }>
  const answer = responses[String(status)]
  if (!answer) return `status ${status} is not in the document`
  const schema = answer.content?.['application/json']?.schema
  return schema === undefined ? undefined : whyNotSchema(document, schema, body)
}

// spec: administration/document
test('the platform accepts every example body of the administration but a winner, a recall and credentials, and answers accordingly', async () => {
  const toReal = await makeReal()
  const endpointId = await made('/webhooks', { url: 'https://backend.shop.example/herald', eventTypes: ['campaign.completed'] })
  const virtual = ok(
    await call<{ devices: { id: string }[]; id?: string }>('POST', '/v1/admin/simulator/devices', { appId: tenant.appId, platform: 'ios' }),
    201,
  )
  const virtualId = virtual.id ?? virtual.devices[0]?.id ?? ''
  const link = ok(await call<{ url: string }>('POST', '/v1/admin/sign-in-links', { name: 'Dana' }), 201)
  const { key } = ok(await tenant.admin<{ key: string }>('POST', '/admin-keys', { name: 'Dana', scopes: ['read'] }), 201)
  const appWithoutKeys = ok(await call<{ id: string }>('POST', '/v1/admin/apps', { name: 'Without keys' }), 201)
  const placeholders: [string, string][] = [
    ['the-administration-token-of-this-herald', herald.adminToken],
    [`ak_live_${tenant.appId}_the-secret-part-of-the-key`, key],
    ['q3J1m2Wm0c9Z2bX7v5K8nT4yR6uE1oP0sD3fG7hJ9kL', link.url.split('code=')[1] ?? ''],
  ]

  const refused: unknown[] = []
  let sent = 0
  for (const { path, method, operation } of operations) {
    // A winner and a recall need a campaign that has been sent, and the provider keys of the examples are not real. Other tests cover them.
    if (/winner|recall|providers\/(apns|fcm)/.test(path)) continue
    const { content: media } = (operation['requestBody'] ?? {}) as {
      content?: Record<string, { examples?: Record<string, { value: Json }> }>
    }
    for (const [name, { value }] of Object.entries(media?.['application/json']?.examples ?? {})) {
      const real = placeholders.reduce((text, [example, given]) => text.replaceAll(example, given), toReal(JSON.stringify(value)))
      // The examples of POST and PUT give a segment or a template the same name, which is taken when the PUT is sent.
      const body: unknown = JSON.parse(method === 'PUT' ? real.replace('"name":"', '"name":"Other ') : real)
      if (path.endsWith('/simulator/accounts')) Object.assign(body as Json, { appId: appWithoutKeys.id })
      const filled = toReal(
        path
          .replace('/webhooks/{id}', `/webhooks/${endpointId}`)
          .replace('{deviceId}', virtualId)
          .replaceAll(/\{(\w+)\}/g, (_whole, parameter: string) => exampleOf(operation, parameter)),
      )
      const { status, body: answer } = await call<Json>(method, filled, body)
      sent += 1
      // An app can have one open import at a time, so this one is cancelled.
      if (path.endsWith('/imports')) ok(await tenant.admin('DELETE', `/imports/${String(answer['id'])}`), 204)
      const why = status < 300 ? whyNotDescribed(operation, status, answer) : answer
      if (why !== undefined) refused.push([method, path, name, status, why])
    }
  }
  expect(refused).toEqual([])
  expect(sent).toBeGreaterThan(30)
})

const exampleOf = (operation: Json, name: string): string => {
  const parameters = (operation['parameters'] ?? []) as { name: string; example?: unknown }[]
  return String(parameters.find((parameter) => parameter.name === name)?.example)
}
