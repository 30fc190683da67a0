import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path) && !/\.(gen|test)\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(import.meta.dirname, path), 'utf8') }))

const using = (pattern: RegExp, except: readonly string[] = []): string[] =>
  files.filter(({ path, text }) => pattern.test(text) && !except.includes(path)).map(({ path }) => path)

test('no file has more than 250 lines', () => {
  expect(files.filter(({ text }) => text.split('\n').length > 251).map(({ path }) => path)).toEqual([])
})

// spec: dashboard/no-markup-from-text
test('no markup is made from text, and no text is run: the content security policy and Trusted Types would refuse it', () => {
  expect(
    using(/\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|createContextualFragment|DOMParser)\b/),
  ).toEqual([])
  expect(using(/\beval\(|new Function\(|setTimeout\(\s*['"`]/)).toEqual([])
})

test('no style element is inserted, and no style is set by a markup string', () => {
  expect(using(/<style\b|createElement\(\s*['"]style['"]|setAttribute\(\s*['"]style['"]|insertRule\(/)).toEqual([])
})

// spec: dashboard/kept-in-browser, dashboard/token-kept-nowhere
test('the browser keeps nothing but preferences, the ids of the last apps, that there is a session, and messages until they are saved', () => {
  expect(using(/\blocalStorage\b/, ['session/session.ts', 'shell/preferences.ts', 'pages/compose/useDraft.ts'])).toEqual([])
  expect(using(/\b(sessionStorage|indexedDB|document\.cookie|caches\.)\b/)).toEqual([])
})

test('nothing is loaded from another origin', () => {
  expect(using(/\b(src|href)=["'{`]+https?:\/\//)).toEqual([])
  expect(using(/url\(\s*["']?https?:/)).toEqual([])
})

// spec: dashboard/requests
test('only the folder api asks the platform, so that each request has its time limit, and its CSRF token where it has a session', () => {
  expect(using(/(?<![.\w])fetch\(/, ['api/client.ts', 'api/outside.ts'])).toEqual([])
  expect(using(/XMLHttpRequest/)).toEqual([])
})

test('one Trusted Types policy is made, and it returns a constant', () => {
  expect(using(/createPolicy\(/)).toEqual(['pages/start/try-out.ts'])
})
