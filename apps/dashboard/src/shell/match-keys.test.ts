import { expect, test } from 'vitest'
import { isSingleKey, keyName, keysText, matchKeys } from './match-keys.ts'

const shortcut = (keys: string, description = keys) => ({ keys, description, run: () => undefined })
const press = (key: string, more: Partial<KeyboardEvent> = {}) => keyName({ key, ctrlKey: false, metaKey: false, altKey: false, ...more })

test('Ctrl and ⌘ are the same key for a shortcut', () => {
  expect(press('k', { ctrlKey: true })).toBe('mod+k')
  expect(press('K', { metaKey: true })).toBe('mod+k')
  expect(press('Enter', { metaKey: true })).toBe('mod+enter')
})

test('a shortcut of two keys is found at its second key, and another second key finds none', () => {
  const known = [shortcut('g c'), shortcut('n')]
  expect(matchKeys(['g'], known)).toEqual({ more: true })
  expect(matchKeys(['g', 'c'], known)).toEqual({ shortcut: known[0] })
  expect(matchKeys(['g', 'x'], known)).toEqual({ nothing: true })
})

test('of two shortcuts with the same key the later one works, so a page can replace the shell’s', () => {
  const known = [shortcut('j', 'shell'), shortcut('j', 'page')]
  expect(matchKeys(['j'], known)).toEqual({ shortcut: known[1] })
})

// spec: dashboard/shortcuts
test('a shortcut without Ctrl, ⌘ and Alt is a single key, which can be switched off; Escape is none', () => {
  expect(['n', 'g c', '?', '/'].every(isSingleKey)).toBe(true)
  expect(['mod+k', 'mod+enter', 'alt+arrowup', 'escape'].some(isSingleKey)).toBe(false)
})

test('a shortcut is shown with the names of its keys: ⌘ on a Mac, Ctrl elsewhere', () => {
  expect(keysText('mod+k', true)).toBe('⌘ K')
  expect(keysText('mod+enter', false)).toBe('Ctrl Enter')
  expect(keysText('g c', false)).toBe('G C')
})
