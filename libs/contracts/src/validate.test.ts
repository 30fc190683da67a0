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

test('a valid body comes out as its schema makes it', () => {
  expect(parseBody(z.strictObject({ a: z.string().transform(Number) }), { a: '7' })).toEqual({ a: 7 })
})

// spec: limits/error-shape
test('each mistake has its path and a sentence that follows it', () => {
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

test('the message tells the first mistake and counts the others', () => {
  expect(faultOf(z.strictObject({ a: z.string(), b: z.string() }), {}).message).toBe('a is required (and 1 more)')
  expect(faultOf(z.strictObject({}), []).message).toBe('The body must be an object')
})

test('the error for a body without its discriminator names the choices; a body with it is checked by its own form', () => {
  const schema = z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('a'), one: z.string() }),
    z.strictObject({ kind: z.literal('b'), two: z.string() }),
  ])
  expect(faultOf(schema, {}).details).toEqual([{ path: 'kind', message: 'is required: "a", "b"' }])
  expect(faultOf(schema, { kind: 'x' }).details).toEqual([{ path: 'kind', message: 'must be one of "a", "b"' }])
  expect(faultOf(schema, { kind: 'b', one: 'x' }).details?.map((detail) => detail.path)).toEqual(['two', 'one'])
})

test('of a union the mistakes of the closest branch are reported', () => {
  const schema = z.strictObject({ at: z.union([z.strictObject({ day: z.number() }), z.null()]) })
  expect(faultOf(schema, { at: { day: 'x' } }).details).toEqual([{ path: 'at.day', message: 'must be a finite number' }])
})

// spec: limits/error-shape
test('at most 50 details are given, and long keys are shortened', () => {
  const body = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`key${n}${'x'.repeat(1000)}`, 1]))
  const { details = [] } = faultOf(z.strictObject({}), body)
  expect(details).toHaveLength(50)
  expect(Math.max(...details.map((detail) => detail.path.length))).toBeLessThanOrEqual(300)
})

test('a prefix can be put before all paths', () => {
  expect(faultOf(z.strictObject({ limit: z.int() }), { limit: 'x' }, ['query']).details?.[0]?.path).toBe('query.limit')
})

// spec: limits/body-json
test('100,000 brackets are refused without exhausting the stack', () => {
  const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))
  expect(faultOf(z.unknown(), { a: deep }).details?.[0]?.message).toContain('nested')
})

test('__proto__ is refused at any depth instead of being dropped', () => {
  expect(faultOf(z.unknown(), JSON.parse('{"a":[{"__proto__":{"polluted":true}}]}')).details).toEqual([
    { path: 'a.0.__proto__', message: 'is not an allowed name' },
  ])
})
