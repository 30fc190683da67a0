import { expect, test } from 'vitest'
import { compileEntry } from './render-entry.ts'
import { countCodePoints } from './text.ts'

test('an entry without placeholders is the same object for everyone', () => {
  const entry = { title: 'T', body: 'B' }
  expect(compileEntry(entry)({ tags: { a: 1 } })).toBe(entry)
})

test('text over a limit is cut with …, within the limit', () => {
  const render = compileEntry({ title: '{{ tags.t }}', body: '{{ tags.b }}', actions: [{ id: 'a', title: '{{ tags.t }}' }] })
  const rendered = render({ tags: { t: 'x'.repeat(300), b: '👍🏽'.repeat(1500) } })
  expect(rendered?.title).toBe(`${'x'.repeat(249)}…`)
  expect(countCodePoints(rendered?.body ?? '')).toBeLessThanOrEqual(2000)
  expect(rendered?.body.endsWith('👍🏽…')).toBe(true)
  expect(rendered?.actions?.[0]?.title).toBe(`${'x'.repeat(49)}…`)
})

test('an address that is none after rendering is left out, the push stays', () => {
  const render = compileEntry({
    title: 'T',
    body: 'B',
    url: '{{ data.link }}',
    image: 'https://{{ data.host }}/a.png',
    actions: [{ id: 'a', title: 'A', url: '{{ data.link }}' }],
  })
  expect(render({ data: { link: 'https://e.com/x', host: 'e.com' } })).toEqual({
    title: 'T',
    body: 'B',
    url: 'https://e.com/x',
    image: 'https://e.com/a.png',
    actions: [{ id: 'a', title: 'A', url: 'https://e.com/x' }],
  })
  for (const link of ['javascript:alert(1)', 'java\nscript:alert(1)', 'not a url', '', `https://e.com/${'x'.repeat(2048)}`]) {
    expect(render({ data: { link, host: '' } })).toEqual({ title: 'T', body: 'B', actions: [{ id: 'a', title: 'A' }] })
  }
})

test('when neither title nor body is left there is nothing to show', () => {
  const render = compileEntry({ title: '{{ tags.t }}', body: ' {{ tags.b }} ' })
  expect(render({})).toBeUndefined()
  expect(render({ tags: { b: 'x' } })).toEqual({ title: '', body: ' x ' })
})

test('an action whose title came out empty is left out', () => {
  expect(compileEntry({ title: 'T', body: 'B', actions: [{ id: 'a', title: '{{ tags.x }}' }] })({})).toEqual({
    title: 'T',
    body: 'B',
    actions: [],
  })
})
