import { expect, test } from 'vitest'
import { whyNotSchema } from './json-schema.ts'

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

test.each(cases)('%j tells right from wrong', (schema, right, wrong) => {
  for (const value of right) expect([value, whyNotSchema(document, schema, value)]).toEqual([value, undefined])
  for (const value of wrong) expect([value, whyNotSchema(document, schema, value)]).toEqual([value, expect.stringContaining('$')])
})

test('a keyword that is not known, or a reference that leads nowhere, is never passed over', () => {
  expect(() => whyNotSchema(document, { dependentRequired: {} }, {})).toThrow('dependentRequired')
  expect(() => whyNotSchema(document, { $ref: '#/parts/Nobody' }, {})).toThrow('#/parts/Nobody')
})
