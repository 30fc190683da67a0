import { TestSend } from '@herald/contracts/test-send'
import { compile } from '@herald/contracts/placeholder'
import { parseBody } from '@herald/contracts/validate'
import { expect, test } from 'vitest'
import { addLocale, changeEntry, emptyContent } from './content-draft.ts'
import { personOf } from './person.ts'
import { emptyOptions } from './send-options-draft.ts'
import { testAsOwner, testOnScreen } from './test-body.ts'

const about = { name: 'Sale', zone: 'UTC', now: new Date('2026-11-22T12:00:00Z') }
const person = personOf({
  id: 'u',
  language: 'de',
  timezone: null,
  country: null,
  createdAt: '',
  tags: { name: '{{ user.id }} {{{' },
})
const content = changeEntry(addLocale(changeEntry(emptyContent('en'), 'en', { title: 'Hi', body: 'There' }), 'de'), 'de', {
  title: 'Hallo {{ tags.name }}',
  body: '{{ tags.missing | default: "du" }}',
  actions: [{ id: 'a', title: '{{ tags.name }}', url: 'https://shop.example/{{ tags.missing | default: "x" }}' }],
})

// spec: dashboard/test-on-screen
test(`a test "as on screen" sends the chosen language's text as shown, also a value like a placeholder`, () => {
  const body = testOnScreen(content, 'de', person, emptyOptions, about)
  const sent = parseBody(TestSend, { subscriptionId: '671a2b3c4d5e6f7081920a01', ...body })
  const entry = sent.content?.['de']
  if (typeof entry !== 'object') throw new Error('it has that language')
  expect(Object.keys(sent.content ?? {})).toEqual(['_default', 'de'])
  expect(compile(entry.title)({})).toBe('Hallo {{ user.id }} {{{')
  expect(entry).toMatchObject({ body: 'du', actions: [{ url: 'https://shop.example/x' }] })
  expect(compile(entry.actions?.[0]?.title ?? '')({})).toBe('{{ user.id }} {{{')
})

test('a text that is empty for the chosen user cannot be tested "as on screen"', () => {
  const blank = changeEntry(emptyContent('en'), 'en', { title: '{{ tags.missing }}', body: '{{ tags.missing }}' })
  expect(testOnScreen(blank, 'en', person, emptyOptions, about)).toBeUndefined()
})

test('a test "as the owner gets it" sends all languages with their placeholders', () => {
  expect(testAsOwner(content, { ...emptyOptions, collapseId: 'x' })).toMatchObject({
    collapseId: 'x',
    content: { _default: 'en', en: { title: 'Hi' }, de: { title: 'Hallo {{ tags.name }}' } },
  })
})
