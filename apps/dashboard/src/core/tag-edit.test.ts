import { expect, test } from 'vitest'
import { changesOf, draftsOf, withType, type TagDraft } from './tag-edit.ts'

const tags = { plan: 'pro', visits: 42, beta: true, '1': '007' }

test('saving tags that nobody changed sends no change', () => {
  expect(changesOf(draftsOf(tags))).toEqual({ changes: {}, problems: [] })
})

// spec: dashboard/tags-keep-their-type
test('each tag keeps its type: a text of digits stays a text', () => {
  expect(draftsOf(tags).map(({ name, type }) => [name, type])).toEqual([
    ['1', 'text'],
    ['beta', 'yes_no'],
    ['plan', 'text'],
    ['visits', 'number'],
  ])
  const edited = draftsOf(tags).map((draft) => ({ ...draft, text: draft.type === 'yes_no' ? 'false' : '8' }))
  expect(changesOf(edited).changes).toEqual({ '1': '8', beta: false, plan: '8', visits: 8 })
})

// spec: dashboard/tags-keep-their-type
test('only changed tags are sent, with null for a deleted tag', () => {
  const edited = draftsOf(tags).map((draft): TagDraft => {
    if (draft.name === 'plan') return { ...draft, remove: true }
    return draft.name === 'visits' ? { ...draft, text: '43' } : draft
  })
  expect(changesOf([...edited, { name: ' city ', type: 'text', text: '' }])).toEqual({
    changes: { plan: null, visits: 43, city: '' },
    problems: [],
  })
})

test('a new tag that was removed again before saving is not sent', () => {
  expect(changesOf([{ name: 'city', type: 'text', text: 'x', remove: true }]).changes).toEqual({})
})

test.each(['', ' ', 'twelve', '1e999', 'NaN'])('%j in the place of a number is shown as a mistake and is not sent', (text) => {
  const { changes, problems } = changesOf([{ name: 'visits', type: 'number', text, was: 1 }])
  expect(changes).toEqual({})
  expect(problems).toEqual([{ name: 'visits', place: 0, problem: 'must be a number, such as 42 or 1.5' }])
})

test('a tag without a name and a name that is used twice are shown as mistakes', () => {
  const drafts: TagDraft[] = [
    ...draftsOf({ plan: 'pro' }),
    { name: 'plan', type: 'text', text: 'free' },
    { name: ' ', type: 'text', text: 'x' },
  ]
  expect(changesOf(drafts).problems.map(({ place }) => place)).toEqual([1, 2])
})

test('a tag named `__proto__` is sent under this name, although the name has a meaning in JavaScript', () => {
  const { changes } = changesOf([{ name: '__proto__', type: 'text', text: 'x' }])
  expect(JSON.stringify(changes)).toBe('{"__proto__":"x"}')
})

test('a tag that is changed to the type "yes or no" has one of these two values', () => {
  expect(withType({ name: 'beta', type: 'text', text: 'maybe' }, 'yes_no').text).toBe('false')
  expect(withType({ name: 'beta', type: 'text', text: 'true' }, 'yes_no').text).toBe('true')
})
