import { expect, test } from 'vitest'
import { isSingleKey, keyName, keysText, matchKeys } from './match-keys.ts'

const shortcut = (keys: string, description = keys) => ({ keys, description, run: () => undefined })
const press = (key: string, more: Partial<KeyboardEvent> = {}) => keyName({ key, ctrlKey: false, metaKey: false, altKey: false, ...more })

test('Ctrl and ⌘ are the same key for a shortcut', () => {
  expect(press('k', { ctrlKey: true })).toBe('mod+k')
  expect(press('K', { metaKey: true })).toBe('mod+k')
  expect(press('Enter', { metaKey: true })).toBe('mod+enter')
})

test('a shortcut of two keys waits for the second key', () => {
  const known = [shortcut('g c'), shortcut('n')]
  expect(matchKeys(['g'], known)).toEqual({ more: true })
  expect(matchKeys(['g', 'c'], known)).toEqual({ shortcut: known[0] })
  expect(matchKeys(['g', 'x'], known)).toEqual({ nothing: true })
})

test("when a page and the shell have a shortcut with the same key, the page's shortcut works", () => {
  const known = [shortcut('j', 'shell'), shortcut('j', 'page')]
  expect(matchKeys(['j'], known)).toEqual({ shortcut: known[1] })
})

// spec: dashboard/shortcuts
test('shortcuts of single keys can be switched off, shortcuts with Ctrl cannot', () => {
  expect(['n', 'g c', '?', '/'].every(isSingleKey)).toBe(true)
  expect(['mod+k', 'mod+enter', 'alt+arrowup', 'escape'].some(isSingleKey)).toBe(false)
})

test('shortcuts are shown with the names that the keyboard has for the keys', () => {
  expect(keysText('mod+k', true)).toBe('⌘ K')
  expect(keysText('mod+enter', false)).toBe('Ctrl Enter')
  expect(keysText('g c', false)).toBe('G C')
})
