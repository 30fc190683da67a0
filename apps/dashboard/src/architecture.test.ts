import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path) && !/\.(gen|test)\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(import.meta.dirname, path), 'utf8') }))

const using = (pattern: RegExp, except: readonly string[] = []): string[] =>
  files.filter(({ path, text }) => pattern.test(text) && !except.includes(path)).map(({ path }) => path)

test('no source file of the dashboard has more than 250 lines', () => {
  expect(files.filter(({ text }) => text.split('\n').length > 251).map(({ path }) => path)).toEqual([])
})

// spec: dashboard/no-markup-from-text
test('no page makes markup from text or runs text as code, which CSP and Trusted Types would refuse', () => {
  expect(
    using(/\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|createContextualFragment|DOMParser)\b/),
  ).toEqual([])
  expect(using(/\beval\(|new Function\(|setTimeout\(\s*['"`]/)).toEqual([])
})

test('no page inserts a style element or sets styles from a text', () => {
  expect(using(/<style\b|createElement\(\s*['"]style['"]|setAttribute\(\s*['"]style['"]|insertRule\(/)).toEqual([])
})

// spec: dashboard/kept-in-browser, dashboard/token-kept-nowhere
test('only three files keep something in the browser: for preferences, the session, and messages not yet in Herald', () => {
  expect(using(/\blocalStorage\b/, ['session/session.ts', 'shell/preferences.ts', 'pages/compose/useDraft.ts'])).toEqual([])
  expect(using(/\b(sessionStorage|indexedDB|document\.cookie|caches\.)\b/)).toEqual([])
})

test('no page loads anything from another origin', () => {
  expect(using(/\b(src|href)=["'{`]+https?:\/\//)).toEqual([])
  expect(using(/url\(\s*["']?https?:/)).toEqual([])
})

// spec: dashboard/requests
test('only the folder `api` sends requests, and one file opens streams: each has a time limit, changes a CSRF token', () => {
  expect(using(/(?<![.\w])fetch\(/, ['api/client.ts', 'api/outside.ts'])).toEqual([])
  expect(using(/XMLHttpRequest|WebSocket\(|sendBeacon/)).toEqual([])
  expect(using(/EventSource\(/)).toEqual(['live/follow-stream.ts'])
})

test('the dashboard makes one Trusted Types policy, and only for the worker of the first steps', () => {
  expect(using(/createPolicy\(/)).toEqual(['pages/start/try-out.ts'])
})
