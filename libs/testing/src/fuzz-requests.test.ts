import { expect, test } from 'vitest'
import { fuzzRequests, whyNotDocumented, type FuzzRequest } from './fuzz-requests.ts'

const Error = { type: 'object', required: ['error'], properties: { error: { type: 'object', required: ['code'] } } }
const operation = {
  operationId: 'makeThing',
  security: [{ secretKey: [] }],
  parameters: [{ name: 'id', in: 'path', schema: { type: 'string' } }],
  requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { name: { type: 'string' } } } } } },
  responses: {
    200: { content: { 'application/json': { schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } } } },
    204: {},
    429: {
      headers: { 'Retry-After': { required: true } },
      content: { 'application/json': { schema: Error, examples: { rate_limited: {} } } },
    },
  },
}
const document = { paths: { '/v1/things/{id}': { post: operation } }, components: { schemas: { Error } } }
const request: FuzzRequest = { method: 'POST', path: '/', headers: {}, body: undefined, operation, name: 'makeThing', resource: 'things' }
const told = (status: number, body?: unknown, headers: object = {}) => ({
  status,
  headers: { 'x-request-id': 'r', 'content-type': 'application/json', ...headers },
  text: body === undefined ? '' : JSON.stringify(body),
})
const limited = { error: { code: 'rate_limited' } }

test('an answer that is as the OpenAPI document describes it is accepted', () => {
  expect(whyNotDocumented(document, request, told(200, { id: 'a' }))).toBeUndefined()
  expect(whyNotDocumented(document, request, told(204))).toBeUndefined()
  expect(whyNotDocumented(document, request, told(429, limited, { 'retry-after': '5' }))).toBeUndefined()
  expect(whyNotDocumented(document, { ...request, operation: undefined }, told(404, { error: { code: 'not_found' } }))).toBeUndefined()
})

test.each([
  ['an answer with status 500', told(500, limited), 'the status is 500'],
  ['a status that is not listed', told(201, { id: 'a' }), 'the status 201 is not documented'],
  ['a body of another shape', told(200, { name: 'a' }), "must have required property 'id'"],
  ['no JSON at all', { ...told(200), text: 'hello' }, 'must be object'],
  ['another media type', told(200, { id: 'a' }, { 'content-type': 'text/plain' }), 'the content type is text/plain'],
  ['a body where there is none', told(204, {}), 'the status 204 has a body'],
  ['a code that is not listed', told(429, { error: { code: 'busy' } }, { 'retry-after': '5' }), 'the code busy is not documented'],
  ['a header that is missing', told(429, limited), 'the header Retry-After is missing'],
  ['no request id', told(204, undefined, { 'x-request-id': undefined }), 'x-request-id is missing'],
])('an answer that is not as the OpenAPI document describes it is refused with the reason: %s', (_, answer, why) => {
  expect(whyNotDocumented(document, request, answer)).toContain(why)
})

test('the same seed makes the same requests, and another seed makes others', () => {
  const several = (seed: number) => {
    const { next } = fuzzRequests(document, { secretKey: 'sk', publicKey: 'pk' }, seed)
    return Array.from({ length: 200 }, () => {
      const { method, path, headers, body } = next()
      return `${method} ${path} ${JSON.stringify(headers)} ${body?.toString().slice(0, 200)}`
    })
  }
  expect(several(1)).toEqual(several(1))
  expect(several(2)).not.toEqual(several(1))
  expect(new Set(several(1)).size).toBeGreaterThan(100)
})
