import { faultStatus } from '@herald/contracts/fault'
import { resolve, whyNotSchema } from '@herald/testing/json-schema'
import { expect, test } from 'vitest'
import { exampleFault, exampleOf } from '../openapi/http/examples.ts'
import { templateOf } from '../openapi/http/openapi.ts'
import type { Route } from './route.ts'
import { openApiDocument } from './documents.ts'
import { administrationRoutes, publicRoutes, routes } from './routes.ts'

type Json = Record<string, unknown>
type Operation = {
  operationId: string
  parameters: Json[]
  requestBody?: { content: Record<string, { schema: unknown; examples: Record<string, { value: unknown }> }> }
  responses: Record<string, Json>
}
const paths = openApiDocument.paths ?? {}
const operations = Object.values(paths).flatMap((path) => Object.values(path) as Operation[])
const operationOf = (name: string) => operations.find(({ operationId }) => operationId === name)

test('no two routes have the same name, or the same method and path', () => {
  expect(new Set(routes.map(({ name }) => name)).size).toBe(routes.length)
  expect(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size).toBe(routes.length)
})

// spec: limits/scopes
test('every public route that needs an API key names its scope', () => {
  expect(publicRoutes.filter(({ key, scope }) => (key === 'none') !== (scope === undefined)).map(({ name }) => name)).toEqual([])
})

// spec: limits/retiring
test('no operation in the public OpenAPI document is deprecated', () => {
  // A deprecated operation would have to send the headers that say when it is removed.
  expect(operations.filter((operation) => 'deprecated' in operation).map(({ operationId }) => operationId)).toEqual([])
})

/** The routes of the public API, with their scopes. */
const summary: [methodAndPath: string, key: string, scope: string | undefined][] = [
  ['POST /v1/subscriptions', 'public', 'subscriptions:write'],
  ['PATCH /v1/subscriptions/:id', 'public', 'subscriptions:write'],
  ['POST /v1/subscriptions/:id/session', 'public', 'subscriptions:write'],
  ['POST /v1/subscriptions/:id/login', 'public', 'subscriptions:write'],
  ['POST /v1/subscriptions/:id/logout', 'public', 'subscriptions:write'],
  ['PATCH /v1/subscriptions/:id/user', 'public', 'subscriptions:write'],
  ['POST /v1/subscriptions/:id/user', 'public', 'subscriptions:write'],
  ['DELETE /v1/subscriptions/:id', 'public', 'subscriptions:write'],
  ['POST /v1/subscriptions/rotate', 'public', 'subscriptions:write'],
  ['GET /v1/users/:id', 'secret', 'users:read'],
  ['GET /v1/users/by-external-id/:externalId', 'secret', 'users:read'],
  ['POST /v1/conversions', 'secret', 'users:write'],
  ['POST /v1/subscriptions/:id/conversions', 'public', 'subscriptions:write'],
  ['GET /v1/subscriptions/:id/preferences', 'public', 'subscriptions:write'],
  ['PATCH /v1/subscriptions/:id/preferences', 'public', 'subscriptions:write'],
  ['GET /v1/subscriptions/:id/inbox', 'public', 'subscriptions:write'],
  ['POST /v1/subscriptions/:id/inbox/read', 'public', 'subscriptions:write'],
  ['DELETE /v1/subscriptions/:id/inbox/:itemId', 'public', 'subscriptions:write'],
  ...['/v1/users/:id', '/v1/users/by-external-id/:externalId'].flatMap((path): [string, string, string][] => [
    [`GET ${path}/preferences`, 'secret', 'users:read'],
    [`PATCH ${path}/preferences`, 'secret', 'users:write'],
    [`GET ${path}/inbox`, 'secret', 'users:read'],
    [`POST ${path}/inbox/read`, 'secret', 'users:write'],
    [`DELETE ${path}/inbox/:itemId`, 'secret', 'users:write'],
  ]),
  ['POST /v1/u/:msgId', 'none', undefined],
  ['PATCH /v1/users/:id', 'secret', 'users:write'],
  ['PATCH /v1/users/by-external-id/:externalId', 'secret', 'users:write'],
  ['POST /v1/users/batch', 'secret', 'users:write'],
  ['DELETE /v1/users/:id', 'secret', 'users:write'],
  ['DELETE /v1/users/by-external-id/:externalId', 'secret', 'users:write'],
  ['POST /v1/notifications', 'secret', 'notifications:send'],
  ['POST /v1/notifications/batch', 'secret', 'notifications:send'],
  ['POST /v1/notifications/dry-run', 'secret', 'notifications:send'],
  ['POST /v1/campaigns', 'secret', 'campaigns:write'],
  ['POST /v1/campaigns/:id/send', 'secret', 'campaigns:write'],
  ['POST /v1/campaigns/:id/cancel', 'secret', 'campaigns:write'],
  ['POST /v1/campaigns/:id/experiment/winner', 'secret', 'campaigns:write'],
  ['POST /v1/campaigns/:id/recall', 'secret', 'campaigns:write'],
  ['GET /v1/campaigns/:id/stats', 'secret', 'campaigns:read'],
  ['GET /v1/campaigns/:id/explain', 'secret', 'campaigns:read and users:read'],
  ['GET /v1/campaigns/:id/breakdown', 'secret', 'campaigns:read and users:read'],
  ['POST /v1/segments/preview', 'secret', 'subscriptions:read'],
  ['GET /v1/segments', 'secret', 'subscriptions:read'],
  ['GET /v1/segments/:id', 'secret', 'subscriptions:read'],
  ['POST /v1/segments/:id/count', 'secret', 'subscriptions:read'],
  ['POST /v1/segments', 'secret', 'campaigns:write'],
  ['PUT /v1/segments/:id', 'secret', 'campaigns:write'],
  ['DELETE /v1/segments/:id', 'secret', 'campaigns:write'],
  ['GET /v1/templates', 'secret', 'campaigns:read'],
  ['GET /v1/templates/:id', 'secret', 'campaigns:read'],
  ['POST /v1/templates', 'secret', 'campaigns:write'],
  ['PUT /v1/templates/:id', 'secret', 'campaigns:write'],
  ['DELETE /v1/templates/:id', 'secret', 'campaigns:write'],
  ['GET /v1/web-push-key', 'public', 'subscriptions:write'],
  ['POST /v1/e/:kind/:msgId', 'none', undefined],
  ['GET /health', 'none', undefined],
  ['PUT /v1/subscriptions/:id/activity-start-tokens/:attributesType', 'public', 'subscriptions:write'],
  ['PUT /v1/subscriptions/:id/activities/:activityId', 'public', 'subscriptions:write'],
  ['DELETE /v1/subscriptions/:id/activities/:activityId', 'public', 'subscriptions:write'],
  ['POST /v1/live-activities', 'secret', 'notifications:send'],
]

// spec: limits/scopes, limits/versioning
test('the public API has this table’s routes, keys and scopes, and besides only its document and page', () => {
  const served = publicRoutes.map(
    ({ method, path, key, scope, alsoScope }) =>
      `${method.toUpperCase()} ${path} ${key} ${scope}${alsoScope === undefined ? '' : ` and ${alsoScope}`}`,
  )
  const specified = summary.map(([methodAndPath, key, scope]) => `${methodAndPath} ${key} ${scope}`)
  expect(new Set(served)).toEqual(new Set([...specified, 'GET /openapi.json none undefined', 'GET /docs none undefined']))
  expect(served).toHaveLength(summary.length + 2)
})

test('every administration route but GETs says how the audit records it; a GET only when it exports', () => {
  const exports = ({ audit }: Route) => typeof audit === 'object' && audit.change === 'export'
  const undeclared = administrationRoutes.filter((it) => (it.method === 'get') !== (it.audit === undefined || exports(it)))
  expect(undeclared.map(({ name }) => name)).toEqual([])
})

// spec: administration/audit
test('every administration route that answers a file of people or pushes leaves a line in the audit', () => {
  const files = administrationRoutes.filter(({ mediaType = '' }) => /csv|ndjson/.test(mediaType))
  expect(files.length).toBeGreaterThanOrEqual(4)
  for (const { name, audit } of files) expect([name, audit]).toEqual([name, expect.objectContaining({ change: 'export' })])
})

// spec: limits/document
test('the public OpenAPI document describes every public route, and no route of the administration', () => {
  for (const { method, path, name } of publicRoutes) expect(paths[templateOf(path)]?.[method]).toMatchObject({ operationId: name })
  expect(operations).toHaveLength(publicRoutes.length)
  expect(Object.keys(paths).filter((path) => path.startsWith('/v1/admin'))).toEqual([])
  expect(administrationRoutes.every(({ path }) => path.startsWith('/v1/admin/'))).toBe(true)
  expect(administrationRoutes.filter(({ key }) => key !== 'admin').map(({ name, key }) => [name, key])).toEqual([
    ['beginSession', 'sign-in'],
  ])
})

test('every reference in the public OpenAPI document leads to a part of it', () => {
  const references = [...JSON.stringify(openApiDocument).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => ({ $ref: reference }))
  expect(references.length).toBeGreaterThan(100)
  for (const reference of references) expect(() => resolve(openApiDocument, reference)).not.toThrow()
})

// spec: limits/error-shape, limits/error-codes
test("every public error but the health check's has the common shape, and each code an example", () => {
  for (const { responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      if (!(Number(status) >= 400)) continue
      const { content } = resolve(openApiDocument, response) as {
        content: Record<string, { schema: unknown; examples?: Record<string, unknown> }>
      }
      const { schema, examples = {} } = content['application/json'] ?? {}
      if (JSON.stringify(schema).includes('Unhealthy')) continue
      expect(schema).toEqual({ $ref: '#/components/schemas/Error' })
      expect(Object.keys(examples).length).toBeGreaterThan(0)
      for (const [code, reference] of Object.entries(examples)) {
        expect(faultStatus).toHaveProperty(code, Number(status))
        const { value } = resolve(openApiDocument, reference)
        expect(value).toMatchObject({ error: { code } })
        expect(whyNotSchema(openApiDocument, schema, value)).toBeUndefined()
      }
    }
  }
  expect(Object.keys(exampleFault).toSorted()).toEqual(Object.keys(faultStatus).toSorted())
})

test.each(publicRoutes.filter(({ body }) => body !== undefined).map((route) => [route.name, route] as const))(
  'the public operation %s has example bodies that it accepts and that match its schema',
  (name, { body }) => {
    const { schema, examples } = operationOf(name)?.requestBody?.content['application/json'] ?? { schema: {}, examples: {} }
    expect(Object.keys(examples).length).toBeGreaterThan(0)
    for (const { value } of Object.values(examples)) {
      expect(body?.safeParse(value).error?.issues ?? []).toEqual([])
      expect(whyNotSchema(openApiDocument, schema, value)).toBeUndefined()
    }
  },
)

test.each(publicRoutes.filter(({ answers }) => answers !== undefined).map((route) => [route.name, route] as const))(
  'the public operation %s has an example answer that matches its schema',
  (name, { status, answers }) => {
    const shown = exampleOf[name]?.answer
    expect(answers?.safeParse(shown).error?.issues ?? []).toEqual([])
    const response = operationOf(name)?.responses[status] as { content: Record<string, { schema: unknown; example: unknown }> }
    const { schema, example } = response.content['application/json'] ?? {}
    expect(example).toEqual(shown)
    expect(whyNotSchema(openApiDocument, schema, example)).toBeUndefined()
  },
)

test('the public OpenAPI document describes every parameter of a path, with an example', () => {
  for (const [path, methods] of Object.entries(paths)) {
    for (const { parameters } of Object.values(methods) as Operation[]) {
      const inPath = parameters.filter((parameter) => parameter['in'] === 'path')
      expect(inPath.map(({ name }) => `{${String(name)}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
      for (const parameter of inPath) expect(whyNotSchema(openApiDocument, parameter['schema'], parameter['example'])).toBeUndefined()
    }
  }
})

// spec: limits/lists
test('by the public OpenAPI document lists take limit, cursor and q, sends and drafts Idempotency-Key, registrations and logins x-identity-token', () => {
  const named = (name: string) =>
    (operationOf(name)?.parameters ?? []).map((parameter) => String(resolve(openApiDocument, parameter)['name']))
  for (const name of ['listSegments', 'listTemplates']) expect(named(name)).toEqual(['limit', 'cursor', 'q', 'x-request-id'])
  const taking = (header: string) => operations.map(({ operationId }) => operationId).filter((name) => named(name).includes(header))
  expect(taking('Idempotency-Key')).toEqual([
    'sendNotification',
    'sendNotifications',
    'createCampaign',
    'recallCampaign',
    'sendLiveActivity',
  ])
  const ofInbox = ['readInboxOfDevice', 'markInboxOfDevice', 'hideInboxItemOfDevice']
  expect(new Set(taking('x-identity-token'))).toEqual(new Set(['registerSubscription', 'loginSubscription', ...ofInbox]))
})
