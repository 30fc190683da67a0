import { faultStatus } from '@herald/contracts/fault'
import { resolve, unnamedField, whyNotSchema } from '@herald/testing/json-schema'
import { expect, test } from 'vitest'
import { templateOf } from './openapi.ts'
import { administrationApi } from './openapi-administration.ts'
import { administrationDescription as description } from '../../http/documents.ts'
import { administrationRoutes, publicRoutes } from '../../http/routes.ts'

type Json = Record<string, unknown>
type Content = Record<string, { schema: unknown; example?: unknown; examples?: Record<string, { value: unknown }> }>
type Operation = {
  operationId: string
  tags: string[]
  parameters: Json[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}
const operations = Object.values(description.paths ?? {}).flatMap((path) => Object.values(path) as Operation[])
const operationOf = (name: string) => operations.find(({ operationId }) => operationId === name)
const titled = administrationRoutes.map((route) => [route.name, route] as const)

// spec: administration/document
test('every administration route that answers JSON has a schema of its answer', () => {
  const silent = administrationRoutes.filter(
    ({ answers, mediaType, status }) => answers === undefined && mediaType === undefined && status !== 204,
  )
  expect(silent.map(({ name }) => name)).toEqual([])
})

// spec: administration/document
test('the administration’s document describes its routes alone; each but the sign-in needs token, key or session, as allowed', () => {
  for (const { method, path, name, key, scope } of administrationRoutes)
    expect(description.paths?.[templateOf(path)]?.[method]).toMatchObject({
      operationId: name,
      security:
        key === 'sign-in'
          ? []
          : [{ administrationToken: [] }, ...(scope === 'platform' ? [] : [{ administrationKey: [] }]), { session: [] }],
    })
  expect(operations).toHaveLength(administrationRoutes.length)
  const names = new Set(publicRoutes.map(({ name }) => name))
  expect(operations.filter(({ operationId }) => names.has(operationId))).toEqual([])
})

test('every reference in the administration’s OpenAPI document leads to a part of it', () => {
  const references = [...JSON.stringify(description).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => ({ $ref: reference }))
  expect(references.length).toBeGreaterThan(100)
  for (const reference of references) expect(() => resolve(description, reference)).not.toThrow()
})

const bodiesOf = (name: string) => operationOf(name)?.requestBody?.content['application/json'] ?? { schema: {}, examples: {} }
const examplesOf = (name: string) => Object.values(bodiesOf(name).examples ?? {}).map(({ value }) => value)
const answerOf = (name: string, status: number) => operationOf(name)?.responses[status]?.content?.['application/json']

// spec: administration/document
test('every administration route has an example of its body and of its answer', () => {
  const withoutBody = administrationRoutes.filter(({ name, body }) => body !== undefined && examplesOf(name).length === 0)
  const withoutAnswer = administrationRoutes.filter(
    ({ name, answers, mediaType, status }) =>
      answers !== undefined && mediaType === undefined && answerOf(name, status)?.example === undefined,
  )
  const names = (of: readonly { name: string }[]) => of.map(({ name }) => name)
  expect({ withoutBody: names(withoutBody), withoutAnswer: names(withoutAnswer) }).toEqual({ withoutBody: [], withoutAnswer: [] })
})

/** The private keys in the examples of these routes only look like keys, so the routes refuse them. */
const withKeys = new Set(['setApns', 'setFcm'])
const showingBodies = titled.filter(([name]) => examplesOf(name).length > 0)

test.each(showingBodies)(
  'the administration’s operation %s has example bodies that match its schema and are accepted, but for private keys',
  (name, { body }) => {
    for (const value of examplesOf(name)) {
      expect(whyNotSchema(description, bodiesOf(name).schema, value)).toBeUndefined()
      expect(withKeys.has(name) ? [] : (body?.safeParse(value).error?.issues ?? [])).toEqual([])
    }
  },
)

test.each(titled.filter(([name, { status }]) => answerOf(name, status)?.example !== undefined))(
  'the administration’s operation %s has an example answer that matches its schema without unnamed fields',
  (name, { status }) => {
    const { schema, example } = answerOf(name, status) ?? {}
    expect(example).toEqual(administrationApi.exampleOf(name)?.answer)
    expect(whyNotSchema(description, schema, example)).toBeUndefined()
    expect(unnamedField(description, schema, example)).toBeUndefined()
  },
)

test('the administration’s document has an example of every path parameter; all routes but sign-in take x-admin-actor', () => {
  for (const [path, methods] of Object.entries(description.paths ?? {})) {
    for (const { operationId, parameters } of Object.values(methods) as Operation[]) {
      const all = parameters.map((parameter) => resolve(description, parameter))
      expect(all.some(({ name }) => name === 'x-admin-actor')).toBe(operationId !== 'beginSession')
      const inPath = all.filter((parameter) => parameter['in'] === 'path')
      expect(inPath.map(({ name }) => `{${String(name)}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
      for (const parameter of inPath) expect(whyNotSchema(description, parameter['schema'], parameter['example'])).toBeUndefined()
    }
  }
})

test('every administration error has the common shape and its code’s status; the example of `forbidden` lacks x-csrf-token', () => {
  for (const { responses } of operations) {
    for (const [status, response] of Object.entries(responses).filter(([code]) => Number(code) >= 400)) {
      const { schema, examples = {} } = (resolve(description, response)['content'] as Content)['application/json'] ?? { schema: {} }
      expect(schema).toEqual({ $ref: '#/components/schemas/Error' })
      expect(Object.keys(examples).length).toBeGreaterThan(0)
      for (const code of Object.keys(examples)) expect(faultStatus).toHaveProperty(code, Number(status))
      const { value } = resolve(description, examples['forbidden'] ?? { value: { error: { message: 'x-csrf-token' } } }) as {
        value: unknown
      }
      expect(value).toMatchObject({ error: { message: expect.stringContaining('x-csrf-token') as string } })
    }
  }
})
