import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodePush } from './payload.ts'
import { platforms } from './platform.ts'
import { compileEntry } from './render-entry.ts'
import { countCodePoints } from './text.ts'

test('a text without placeholders is not copied for each push', () => {
  const entry = { title: 'T', body: 'B' }
  expect(compileEntry(entry)({ tags: { a: 1 } })).toBe(entry)
})

// spec: content/render-cut
test('a text over its limit is cut with … to fit the limit', () => {
  const render = compileEntry({ title: '{{ tags.t }}', body: '{{ tags.b }}', actions: [{ id: 'a', title: '{{ tags.t }}' }] })
  const rendered = render({ tags: { t: 'x'.repeat(300), b: '👍🏽'.repeat(1500) } })
  expect(rendered?.title).toBe(`${'x'.repeat(249)}…`)
  expect(countCodePoints(rendered?.body ?? '')).toBeLessThanOrEqual(2000)
  expect(rendered?.body.endsWith('👍🏽…')).toBe(true)
  expect(rendered?.actions?.[0]?.title).toBe(`${'x'.repeat(49)}…`)
})

// spec: sending/dry-run-warnings
test('what filling in a text leaves out or cuts is reported with its path in the content', () => {
  const render = compileEntry({
    title: 'Hello {{ tags.name }}',
    body: '{{ tags.long }}',
    url: '{{ data.link }}',
    image: 'https://shop.example/{{ tags.name }}.png',
    actions: [{ id: 'a', title: '{{ tags.long }}', url: '{{ data.link }}' }],
  })
  const notes: string[] = []
  render({ tags: { long: 'x'.repeat(3_000) }, data: { link: 'no link' } }, ({ code, path }) => notes.push(`${code} ${path}`))
  expect(notes.toSorted()).toEqual([
    'placeholder_empty image',
    'placeholder_empty title',
    'text_cut actions.0.title',
    'text_cut body',
    'url_dropped actions.0.url',
    'url_dropped url',
  ])
})

// spec: content/render-address
test('an address that is invalid after its placeholders are filled in is left out, and the other fields stay', () => {
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

// spec: content/render-empty
test('when title and body are both empty after filling in, there is nothing to show', () => {
  const render = compileEntry({ title: '{{ tags.t }}', body: ' {{ tags.b }} ' })
  expect(render({})).toBeUndefined()
  expect(render({ tags: { b: 'x' } })).toEqual({ title: '', body: ' x ' })
})

// spec: content/render-empty
test('an action whose title is empty after filling in is left out', () => {
  expect(compileEntry({ title: 'T', body: 'B', actions: [{ id: 'a', title: '{{ tags.x }}' }] })({})).toEqual({
    title: 'T',
    body: 'B',
    actions: [],
  })
})

test('an address of more than 2048 code points is left out; one of 2048 stays, however many bytes it has', () => {
  const render = compileEntry({ title: 'T', body: 'B', url: 'https://e.com/{{ data.x }}', image: '{{ data.image }}' })
  const start = 'https://e.com/'
  const image = (length: number) => start + '😀'.repeat(length - start.length)
  expect(render({ data: { x: 'x'.repeat(2048 - start.length), image: image(2048) } })).toEqual({
    title: 'T',
    body: 'B',
    url: start + 'x'.repeat(2048 - start.length),
    image: image(2048),
  })
  expect(render({ data: { x: 'x'.repeat(2049 - start.length), image: image(2049) } })).toEqual({ title: 'T', body: 'B' })
})

test('an image whose address is not https after filling in is left out, and the other fields stay', () => {
  const render = compileEntry({ title: 'T', body: 'B', image: '{{ data.image }}' })
  for (const image of ['http://e.com/a.png', 'data:image/png;base64,AAAA', 'shop://a', 'a b', '']) {
    expect(render({ data: { image } })).toEqual({ title: 'T', body: 'B' })
  }
})

// spec: content/placeholder-places
test('placeholders are filled in in title, body, url, image, and the titles and urls of actions', () => {
  const render = compileEntry({
    title: '{{ tags.x }} t',
    body: '{{ tags.x }} b',
    url: 'https://e.com/{{ tags.x }}',
    image: 'https://e.com/{{ tags.x }}.png',
    actions: [{ id: '{{ tags.x }}', title: '{{ tags.x }} a', url: 'shop://{{ tags.x }}' }],
  })
  expect(render({ tags: { x: 'ü/1' } })).toEqual({
    title: 'ü/1 t',
    body: 'ü/1 b',
    url: 'https://e.com/%C3%BC%2F1',
    image: 'https://e.com/%C3%BC%2F1.png',
    actions: [{ id: '{{ tags.x }}', title: 'ü/1 a', url: 'shop://%C3%BC%2F1' }],
  })
})

// spec: content/placeholder-links
test('a value in an address’s path changes neither host nor query nor fragment', () => {
  const url = (path: string) => compileEntry({ title: 'T', body: 'B', url: 'https://e.com/{{ data.path }}' })({ data: { path } })?.url
  for (const path of ['../admin?a=b', '@evil.com', '//evil.com', 'x#y', '\r\nHost: evil', '\u202e']) {
    expect(new URL(url(path) ?? '')).toMatchObject({ host: 'e.com', search: '', hash: '' })
  }
})

test.each(platforms)('whatever a user’s value holds, on %s the push shows it as text, in valid JSON within the limit', (platform) => {
  const render = compileEntry({ title: '<{{ tags.x }}>', body: '[{{ tags.x }}]' })
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom('"}}', '","aps":{', '{{ user.id }}', '\u202e\u2066', '\\', '\u2028', '</script>'),
  )
  fc.assert(
    fc.property(hostile, (x) => {
      const entry = render({ tags: { x }, user: { id: 'secret' } }) ?? null
      const send = { campaignId: 'c', silent: false, data: {}, collapseId: null, priority: 'high', presentation: null } as const
      const encoded = encodePush(platform, { msgId: 'id', entry, send }, 'token', 0)
      if (!encoded.ok) throw new Error(`${encoded.bytes} bytes`)
      const payload = JSON.parse(encoded.body)
      const shown = { ios: payload.aps?.alert, android: payload.message?.notification, web: payload }[platform]
      expect(shown).toMatchObject({ title: `<${x}>`, body: `[${x}]` })
    }),
  )
})
