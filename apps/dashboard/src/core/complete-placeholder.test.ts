import { whyNotTemplate } from '@herald/contracts/placeholder'
import { expect, test } from 'vitest'
import { completeAt, insertSuggestion, writtenTag } from './complete-placeholder.ts'

const tags = [
  { name: 'plan', values: ['free', 'pro'] },
  { name: 'orders', values: ['0', '1'] },
  { name: 'plan:tier', values: [] },
]
/** Completes a text at the place of the mark ‸, which stands for the cursor. */
const at = (marked: string) => completeAt(marked.replace('‸', ''), marked.indexOf('‸'), tags, ['kind'])
const labels = (marked: string) => at(marked)?.suggestions.map(({ label }) => label)

test("after {{ the editor suggests tags with examples, then the fields and the keys of the message's data", () => {
  expect(labels('Hi {{‸')?.slice(0, 4)).toEqual(['tags.plan', 'tags.orders', 'tags.plan:tier', 'user.id'])
  expect(at('Hi {{ ‸')?.suggestions[0]?.hint).toBe('such as free, pro')
  expect(labels('Hi {{ ‸')).toContain('data.kind')
  expect(labels('Hi {{- ‸')).toContain('campaign.name')
})

test('the editor suggests the names that contain what was typed', () => {
  expect(labels('{{ user.l‸')).toEqual(['user.language'])
  expect(labels('{{ lang‸')).toEqual(['user.language'])
  expect(labels('{{ nobody‸')).toBeUndefined()
})

test('after | in a placeholder the editor suggests filters', () => {
  expect(labels('{{ tags.plan |‸ }}')).toContain('upcase')
  expect(labels('{{ tags.plan | upcase | de‸')?.[0]).toBe('default: "friend"')
})

test('the editor suggests nothing outside a placeholder, in a quoted text or in an argument of a filter', () => {
  for (const text of ['Hi ‸', 'Hi {‸', '{{ tags.plan }} ‸', '{{ "a ‸', '{{ tags.plan | default: ‸', '{{ tags.plan ‸'])
    expect(at(text)).toBeUndefined()
})

test('a chosen suggestion makes a valid placeholder, and the cursor is where the operator types on', () => {
  for (const text of ['Hi {{‸', 'Hi {{ ta‸ }} you', 'Hi {{ tags.plan |‸ }}', '{{ tags.plan | tru‸']) {
    const completion = at(text)
    if (!completion) throw new Error(text)
    for (const suggestion of completion.suggestions) {
      const { text: written, cursor } = insertSuggestion(text.replace('‸', ''), completion, suggestion)
      expect({ written, why: whyNotTemplate(written) }).toEqual({ written, why: undefined })
      expect(written.slice(0, cursor)).toMatch(suggestion.kind === 'name' ? /[^ ]$/ : /[}\d\w" ]$/)
    }
  }
  expect(
    insertSuggestion('Hi {{pl you', { from: 5, to: 7, suggestions: [] }, { insert: 'tags.plan', label: '', hint: '', kind: 'name' }),
  ).toEqual({
    text: 'Hi {{ tags.plan }} you',
    cursor: 15,
  })
})

test('a tag whose name Liquid would cut short is written in brackets', () => {
  expect(writtenTag('plan')).toBe('tags.plan')
  expect(writtenTag('größe.2')).toBe('tags.größe.2')
  expect(writtenTag('plan:tier')).toBe('tags["plan:tier"]')
  for (const name of ['plan', 'größe.2', 'plan:tier', 'a b', '"x"', '-a', 'a-'])
    expect({ name, why: whyNotTemplate(`{{ ${writtenTag(name)} }}`) }).toEqual({ name, why: undefined })
})
