import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { administrationDescription, openApiDocument } from '../../http/documents.ts'
import { breakingChanges } from '../../testing/openapi-compatible.ts'

const released = (name: string): object => JSON.parse(readFileSync(resolve(import.meta.dirname, `../../../../../docs/${name}`), 'utf8'))

/** Gives today's OpenAPI document with a change in its text. */
function changed(from: string | RegExp, to: string): object {
  const text = JSON.stringify(openApiDocument)
  const other = text.replace(from, to)
  expect(other).not.toBe(text)
  return JSON.parse(other)
}

// spec: limits/versioning
test('today’s API would break no client of the last release, neither of the public API nor of the administration', () => {
  expect(breakingChanges(released('openapi.released.json'), openApiDocument)).toEqual([])
  expect(breakingChanges(released('openapi.administration.released.json'), administrationDescription)).toEqual([])
})

// spec: limits/versioning
test.each<[what: string, from: string | RegExp, to: string, change: string]>([
  ['an operation', '"/v1/users/{id}"', '"/v1/people/{id}"', 'GET /v1/users/{id} is gone'],
  ['another name', '"readUser"', '"getUser"', 'GET /v1/users/{id}: operationId was readUser'],
  ['another scope', '"x-required-scope":"users:read"', '"x-required-scope":"users:write"', 'GET /v1/users/{id}: the scope was users:read'],
  [
    'a key that is refused',
    '[{"publicKey":[]},{"secretKey":[]}]',
    '[{"secretKey":[]}]',
    'POST /v1/subscriptions: publicKey is no longer taken',
  ],
  ['a parameter', '"name":"q","in":"query"', '"name":"query","in":"query"', 'GET /v1/segments: query q is gone'],
  ['a limit of a parameter', '"maximum":200', '"maximum":100', 'GET /v1/segments: query limit: maximum is lower'],
  [
    'a field that is required',
    '"required":["externalId"]',
    '"required":["externalId","token"]',
    'POST /v1/subscriptions/{id}/login: body.token is required now',
  ],
  [
    'a field of a body',
    '"collapseId":{"type":"string","minLength":1',
    '"collapse":{"type":"string","minLength":1',
    'POST /v1/notifications: body.collapseId is not taken any more',
  ],
  [
    'a value',
    '"enum":["high","normal"]',
    '"enum":["high"]',
    'POST /v1/notifications: body.priority: "normal" is no longer among the values',
  ],
  ['a shorter text', '"maxLength":2000', '"maxLength":1000', 'POST /v1/notifications: body.content(0).*.body: maxLength is lower'],
  ['another kind', '"ttl":{"type":"integer"', '"ttl":{"type":"string"', 'POST /v1/notifications: body.ttl: integer no longer fits'],
  ['an answer’s field', '"useCount":{', '"uses":{', 'GET /v1/templates: 200.templates.*.useCount is gone'],
  [
    'a field that may be absent',
    '"required":["count","byPlatform"]',
    '"required":["count"]',
    'POST /v1/segments/preview: 200.byPlatform may be absent now',
  ],
  [
    'an error code',
    '"examples":{"duplicate_name":',
    '"examples":{"name_taken":',
    'POST /v1/segments: the code duplicate_name of 409 is gone',
  ],
  [
    'a header',
    /"headers":\{"x-request-id":\{"\$ref":"#\/components\/headers\/x-request-id"\},"RateLimit-Limit"/,
    '"headers":{"RateLimit-Limit"',
    'POST /v1/subscriptions: the header x-request-id of 200 is gone',
  ],
])('the comparison with the last release finds a change that would break clients: %s', (_, from, to, change) => {
  expect(breakingChanges(openApiDocument, changed(from, to))).toContain(change)
})

// spec: limits/versioning
test.each<[what: string, from: string, to: string]>([
  ['a path', '"/v1/users/{id}":', '"/v1/more":{},"/v1/users/{id}":'],
  [
    'an optional field of a body',
    '"collapseId":{"type":"string","minLength":1',
    '"more":{"type":"string"},"collapseId":{"type":"string","minLength":1',
  ],
  ['a field of an answer', '"useCount":{', '"more":{"type":"string"},"useCount":{'],
  ['a wider limit', '"maxLength":2000', '"maxLength":3000'],
  ['a value', '"enum":["high","normal"]', '"enum":["high","normal","low"]'],
  [
    'a second form of a body',
    '"data":{"$ref":"#/components/schemas/CustomData"}',
    '"data":{"anyOf":[{"$ref":"#/components/schemas/CustomData"},{"type":"string"}]}',
  ],
  ['an error code', '"examples":{"duplicate_name":', '"examples":{"more":{},"duplicate_name":'],
])('the comparison with the last release accepts a change that breaks no client: %s', (_, from, to) => {
  expect(breakingChanges(openApiDocument, changed(from, to))).toEqual([])
})
