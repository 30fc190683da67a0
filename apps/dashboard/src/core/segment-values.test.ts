import { operatorsOf, parseSegment } from '@herald/contracts/segment'
import { expect, test } from 'vitest'
import { countIds, leavesOf, readTree, type EditorRoot } from './segment-editor.ts'
import { fields, labelOf, typeOf, wordOf } from './segment-fields.ts'
import { findPlace, placeMistakes } from './segment-mistakes.ts'
import { describeLeaf, describeSegment, readRelative } from './segment-text.ts'
import { asKind, conditionFor, firstOfTag, firstCondition, isList, readPasted, splitValues, valueFor } from './segment-values.ts'
import { largestDrop } from './why-so-few.ts'

const problemOf = (definition: unknown) => {
  const parsed = parseSegment(definition, '')
  return parsed.ok ? undefined : parsed
}
const read = (definition: unknown) => readTree(definition, countIds()) as EditorRoot

test('each field has its own label, and a new condition with any operator is valid once filled in', () => {
  for (const { name, type } of fields) {
    expect(typeOf(name)).toBe(type)
    for (const op of operatorsOf[type]) {
      const value = valueFor(type, op, firstCondition(type).value)
      const filled = isList(op) && (value as unknown[]).length === 0 ? ['0123456789abcdef01234567'] : value
      const wanted = filled === '' && type === 'id' ? '0123456789abcdef01234567' : filled
      expect(problemOf({ field: name, op, value: wanted }), `${name} ${op} ${JSON.stringify(wanted)}`).toBeUndefined()
    }
  }
  expect(new Set(fields.map(({ label }) => label)).size).toBe(fields.length)
})

test('when a condition’s operator changes, the typed value stays as far as the new one can use it', () => {
  expect(valueFor('string', 'in', 'a')).toEqual(['a'])
  expect(valueFor('string', 'eq', ['a', 'b'])).toBe('a')
  expect(valueFor('tag', 'contains', 5)).toBe('5')
  expect(valueFor('number', 'eq', [])).toBe(1)
  expect(valueFor('platform', 'eq', ['web'])).toBe('web')
  expect(valueFor('tag', 'exists', 'x')).toBe(true)
  expect(valueFor('string', 'in', null)).toEqual([])
})

test('a comparison of a tag begins with a value of the type that the tag has among users', () => {
  expect(firstOfTag({ type: 'number', values: ['12', '3'] })).toBe(12)
  expect(firstOfTag({ type: 'number', values: [] })).toBe(0)
  expect(firstOfTag({ type: 'boolean', values: ['false'] })).toBe(true)
  expect(firstOfTag({ type: 'string', values: ['gold'] })).toBeUndefined()
  expect(valueFor('tag', 'eq', undefined)).toBe('')
})

test('a condition keeps operator and text between fields of texts, and begins anew for a date or number', () => {
  expect(conditionFor('string', 'date', 'contains', 'x')).toEqual({ op: 'gte', value: '-14d' })
  expect(conditionFor('tag', 'string', 'eq', 'x')).toEqual({ op: 'eq', value: 'x' })
  expect(conditionFor('platform', 'string', 'in', ['ios'])).toEqual({ op: 'in', value: [] })
  expect(conditionFor('date', 'date', 'lt', '-1d')).toEqual({ op: 'lt', value: '-1d' })
  expect(conditionFor('string', 'number', 'eq', 'x')).toEqual({ op: 'gte', value: 1 })
})

test('pasted values may be on lines or separated; each is taken once, at most 500', () => {
  expect(splitValues('a, b;c\td\r\ne\n\n "x, y" ')).toEqual(['a', 'b', 'c', 'd', 'e', 'x, y'])
  expect(readPasted('1\n2\n2\nthree', 'number')).toEqual({ values: [1, 2], repeated: 1, unfit: ['three'], tooMany: 0 })
  const many = Array.from({ length: 600 }, (_, n) => `id-${n}`).join('\n')
  const { values, tooMany } = readPasted(many, 'text', ['id-0', 'other'])
  expect([values.length, tooMany]).toEqual([498, 101])
})

test("a tag's value is read as the chosen type: 5 as text or number, true as boolean, yes not", () => {
  expect(asKind('5', 'text')).toBe('5')
  expect(asKind('5', 'number')).toBe(5)
  expect(asKind('', 'number')).toBeUndefined()
  expect(asKind('true', 'boolean')).toBe(true)
  expect(asKind('yes', 'boolean')).toBeUndefined()
})

// spec: dashboard/segment-mistakes
test('a mistake is shown at the condition that its path names, wherever the segment is in the request', () => {
  const root = read({ and: [{ field: 'platform', op: 'eq', value: 'ios' }, { not: { field: 'country', op: 'in', value: ['x', 5] } }] })
  const [platform, country] = leavesOf(root)
  expect(findPlace(root, 'and.0.op')).toEqual({ id: platform?.id, part: 'op', item: undefined })
  expect(findPlace(root, 'definition.and.1.not.value.1')).toEqual({ id: country?.id, part: 'value', item: 1 })
  expect(findPlace(root, 'campaign.segment.and')).toEqual({ id: root?.id, part: undefined, item: undefined })
  expect(findPlace(root, 'definition')).toEqual({ id: root?.id, part: undefined, item: undefined })
  expect(findPlace(undefined, 'definition')).toBeUndefined()
  const leaf = read({ field: 'nope', op: 'eq', value: 1 })
  expect(findPlace(leaf, problemOf({ field: 'nope', op: 'eq', value: 1 })?.path ?? '')).toEqual({
    id: leaf?.id,
    part: 'field',
    item: undefined,
  })
  const placed = placeMistakes(root, [
    { path: 'and.0.op', message: 'a' },
    { path: 'definition.and.0.op', message: 'a' },
  ])
  expect(placed.get(platform?.id ?? '')).toEqual([{ id: platform?.id, part: 'op', item: undefined, message: 'a' }])
})

test('a segment can be read as a sentence', () => {
  expect(describeSegment(undefined)).toBe('Everyone')
  const definition = {
    and: [
      { field: 'tags.plan', op: 'in', value: ['gold', 'silver'] },
      { or: [{ field: 'lastActiveAt', op: 'gte', value: '-14d' }, { not: { field: 'country', op: 'exists', value: true } }] },
    ],
  }
  expect(describeSegment(read(definition))).toBe(
    'plan is one of gold, silver and (Device last active in the last 14 days or not (Country exists))',
  )
  expect(labelOf('tags.a.b')).toBe('a.b')
  expect([wordOf('gt', 'date'), wordOf('lt', 'date', true)]).toEqual(['is after', 'is more than'])
  expect(describeLeaf('lastActiveAt', 'lt', '-1w')).toBe('Device last active more than 1 week ago')
  expect(readRelative('-1w')).toEqual({ sign: '-', count: 1, unit: 'w' })
  expect(readRelative('2026-01-01')).toBeUndefined()
})

test('the largest drop is at the condition that loses the most devices; without losses there is none', () => {
  expect(largestDrop([100, 90, 20, 19])).toEqual({ place: 2, lost: 70 })
  expect(largestDrop([5, 5])).toBeUndefined()
})
