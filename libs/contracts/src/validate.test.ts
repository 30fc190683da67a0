import { expect, test } from 'vitest'
import { z } from 'zod'
import { Fault } from './fault.ts'
import { parseBody } from './validate.ts'

function faultOf(schema: z.ZodType, body: unknown, at?: string[]): Fault {
  try {
    parseBody(schema, body, at)
  } catch (error) {
    if (Fault.is(error)) return error
    throw error
  }
  throw new Error('the body was taken')
}

test('a valid body is given back in the form that its schema makes', () => {
  expect(parseBody(z.strictObject({ a: z.string().transform(Number) }), { a: '7' })).toEqual({ a: 7 })
})

// spec: limits/error-shape
test('each mistake in a body is answered with its path and with words that follow the path', () => {
  const schema = z.strictObject({
    name: z.string(),
    size: z.int().min(1).max(9),
    list: z.array(z.number()).max(2),
    kind: z.enum(['a', 'b']),
    on: z.boolean(),
    ids: z.array(z.string()).min(1),
  })
  expect(faultOf(schema, { size: 10, list: ['x', 2], kind: 'c', on: null, ids: [], more: 1 }).details).toEqual([
    { path: 'name', message: 'is required' },
    { path: 'size', message: 'must be at most 9' },
    { path: 'list.0', message: 'must be a finite number' },
    { path: 'kind', message: 'must be one of "a", "b"' },
    { path: 'on', message: 'must be true or false' },
    { path: 'ids', message: 'must hold at least 1 items' },
    { path: 'more', message: 'is not a known field' },
  ])
})

test('the message of a refusal gives the first mistake and how many others are listed', () => {
  expect(faultOf(z.strictObject({ a: z.string(), b: z.string() }), {}).message).toBe('a is required (and 1 more)')
  expect(faultOf(z.strictObject({}), []).message).toBe('The body must be an object')
})

test('a body that does not say its form is answered with the possible ones, else checked by its own', () => {
  const schema = z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('a'), one: z.string() }),
    z.strictObject({ kind: z.literal('b'), two: z.string() }),
  ])
  expect(faultOf(schema, {}).details).toEqual([{ path: 'kind', message: 'is required: "a", "b"' }])
  expect(faultOf(schema, { kind: 'x' }).details).toEqual([{ path: 'kind', message: 'must be one of "a", "b"' }])
  expect(faultOf(schema, { kind: 'b', one: 'x' }).details?.map((detail) => detail.path)).toEqual(['two', 'one'])
})

test('when a body may have several forms, the mistakes are reported for the form that it resembles most', () => {
  const schema = z.strictObject({ at: z.union([z.strictObject({ day: z.number() }), z.null()]) })
  expect(faultOf(schema, { at: { day: 'x' } }).details).toEqual([{ path: 'at.day', message: 'must be a finite number' }])
})

// spec: limits/error-shape
test('an answer lists at most 50 mistakes, and shortens long keys', () => {
  const body = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`key${n}${'x'.repeat(1000)}`, 1]))
  const { details = [] } = faultOf(z.strictObject({}), body)
  expect(details).toHaveLength(50)
  expect(Math.max(...details.map((detail) => detail.path.length))).toBeLessThanOrEqual(300)
})

test('the path of a mistake can begin with a given prefix', () => {
  expect(faultOf(z.strictObject({ limit: z.int() }), { limit: 'x' }, ['query']).details?.[0]?.path).toBe('query.limit')
})

// spec: limits/body-json
test('a body of 100,000 brackets is refused without a stack overflow', () => {
  const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))
  expect(faultOf(z.unknown(), { a: deep }).details?.[0]?.message).toContain('nested')
})

test('a key __proto__ is refused at any depth, and not silently dropped', () => {
  expect(faultOf(z.unknown(), JSON.parse('{"a":[{"__proto__":{"polluted":true}}]}')).details).toEqual([
    { path: 'a.0.__proto__', message: 'is not an allowed name' },
  ])
})

// spec: limits/body-json
test.each([
  [
    'an object of 1,001 fields',
    { tags: Object.fromEntries(Array.from({ length: 1_001 }, (_, no) => [`t${no}`, {}])) },
    'tags',
    'must hold at most 1000 fields',
  ],
  ['a list of 10,001 items', { ids: Array(10_001).fill(0) }, 'ids', 'must hold at most 10000 items'],
])('%s is refused with one mistake, before a schema reads it', (_, body, path, message) => {
  let read = 0
  const counted = z.any().refine(() => (read += 1) > 0)
  const schema = z.strictObject({ tags: z.record(z.string(), counted).optional(), ids: z.array(counted).optional() })
  expect(faultOf(schema, body).details).toEqual([{ path, message }])
  expect(read).toBe(0)
})
