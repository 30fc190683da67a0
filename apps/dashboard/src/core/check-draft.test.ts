import { expect, test } from 'vitest'
import { changeEntry } from './content-draft.ts'
import { bodyOfDraft, emptyDraft } from './campaign-draft.ts'
import { checkDraft, byPath, visibleDetails } from './check-draft.ts'

test('the page calls an empty field wrong only after the review was asked for, any other mistake at once', () => {
  const draft = { ...emptyDraft, content: changeEntry(emptyDraft.content, 'en', { title: 'Sale', url: 'nowhere' }) }
  const details = checkDraft(draft)
  expect(details.map(({ path }) => path)).toEqual(['content.en.body', 'content.en.url'])
  expect(visibleDetails(details, bodyOfDraft(draft), false).map(({ path }) => path)).toEqual(['content.en.url'])
  expect(visibleDetails(details, bodyOfDraft(draft), true)).toEqual(details)
  expect(byPath(details)('content.en.url')).toContain('must be an absolute URL')
})

test('a mistake is shown also when its field has dots in its name, or when it belongs to none', () => {
  const data = { 'order.id': 'x', order: { id: '' } }
  expect(visibleDetails([{ path: 'data.order.id', message: 'is wrong' }], { data }, false)).toHaveLength(1)
  expect(visibleDetails([{ path: '', message: 'is wrong' }], { data }, false)).toHaveLength(1)
})

test('a key of the data that is written twice is a mistake at that key', () => {
  const draft = {
    ...emptyDraft,
    content: changeEntry(emptyDraft.content, 'en', { title: 'a', body: 'b' }),
    data: [
      { key: 'k', value: '1' },
      { key: 'k', value: '2' },
    ],
  }
  expect(checkDraft(draft)).toEqual([{ path: 'data.k', message: 'is written twice; keep one of them' }])
})

// spec: sending/overrides-owned
test('a provider’s fields show the first mistake in their JSON, and text that is no JSON is one', () => {
  const content = changeEntry(emptyDraft.content, 'en', { title: 'a', body: 'b' })
  const errorOf = (ios: string) =>
    byPath(checkDraft({ ...emptyDraft, content, overrides: { ...emptyDraft.overrides, ios } }))('overrides.ios')
  expect(errorOf('{"aps": {"category": "ORDER"}}')).toBeUndefined()
  expect(errorOf(' ')).toBeUndefined()
  expect(errorOf('{"aps": {"category": ')).toBe('must be an object')
  expect(errorOf('{"aps": {"alert": "Hi"}}')).toMatch(/^aps\.alert must be an object/)
})
