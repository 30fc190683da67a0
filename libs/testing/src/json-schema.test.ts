import { expect, test } from 'vitest'
import { unnamedField, whyNotSchema } from './json-schema.ts'

const document = { parts: { Name: { type: 'string', minLength: 1, maxLength: 2, pattern: '^[a-z😀]*$' } } }
const cases: [schema: object, right: unknown[], wrong: unknown[]][] = [
  [{ type: 'integer', minimum: 0, maximum: 5 }, [0, 5], [-1, 6, 0.5, '1', null, [1]]],
  [{ type: ['string', 'null'] }, ['', null], [1, undefined, {}]],
  [{ $ref: '#/parts/Name' }, ['a', '😀😀'], ['', 'abc', 'A']],
  [{ enum: ['a', 1] }, ['a', 1], ['1', 'b']],
  [{ const: true }, [true], ['true', 1]],
  [
    { type: 'array', items: { type: 'number', exclusiveMinimum: 0 }, minItems: 1, maxItems: 2 },
    [[1], [1, 2]],
    [[], [1, 2, 3], ['a'], [0], {}],
  ],
  [
    { type: 'object', required: ['a'], properties: { a: { type: 'null' } }, additionalProperties: false },
    [{ a: null }],
    [{}, { a: 1 }, { a: null, b: 1 }, [], null],
  ],
  [
    { type: 'object', propertyNames: { $ref: '#/parts/Name' }, additionalProperties: { type: 'boolean' } },
    [{}, { ab: true }],
    [{ abc: true }, { a: 1 }],
  ],
  [{ anyOf: [{ type: 'object', maxProperties: 0 }, { type: 'string' }] }, [{}, 'x'], [{ a: 1 }, 5]],
]

test.each(cases)('the schema %j accepts right values and refuses wrong ones', (schema, right, wrong) => {
  for (const value of right) expect([value, whyNotSchema(document, schema, value)]).toEqual([value, undefined])
  for (const value of wrong) expect([value, whyNotSchema(document, schema, value)]).toEqual([value, expect.stringContaining('$')])
})

test('an unknown keyword, or a reference to nothing, is an error', () => {
  expect(() => whyNotSchema(document, { leastLength: 1 }, {})).toThrow('leastLength')
  expect(() => whyNotSchema(document, { $ref: '#/parts/Nobody' }, {})).toThrow('#/parts/Nobody')
})

test('a field that no schema names is found at any depth, except where the schema allows any field', () => {
  const api = { components: { schemas: { Item: { type: 'object', properties: { id: { type: 'string' } } } } } }
  const item = { $ref: '#/components/schemas/Item' }
  const list = { type: 'object', properties: { items: { type: 'array', items: item }, open: { type: 'object' } } }
  expect(unnamedField(api, list, { items: [{ id: 'a' }], open: { anything: 1 } })).toBeUndefined()
  expect(unnamedField(api, list, { items: [{ id: 'a' }, { id: 'b', name: 'x' }] })).toBe('$.items.1.name')
  expect(unnamedField(api, { anyOf: [{ type: 'null' }, item] }, { id: 'a', more: 1 })).toBe('$.more')
  expect(unnamedField(api, { type: 'object', additionalProperties: item }, { one: { id: 'a', more: 1 } })).toBe('$.one.more')
  expect(unnamedField(api, { type: 'object', properties: {}, additionalProperties: {} }, { more: 1 })).toBeUndefined()
})
