import type { Shortcut } from './useShortcut.ts'

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>

/** Gives the name of a pressed key as shortcuts write it: 'mod+enter', 'g', '?'. */
export function keyName({ key, ctrlKey, metaKey, altKey }: Pressed): string {
  const name = key === ' ' ? 'space' : key.length === 1 ? key.toLowerCase() : key.toLowerCase()
  return `${ctrlKey || metaKey ? 'mod+' : ''}${altKey ? 'alt+' : ''}${name}`
}

/** Says whether a shortcut has neither Ctrl, ⌘ nor Alt. Such shortcuts can be switched off, and do not work in fields (WCAG 2.1.4). */
export const isSingleKey = (keys: string): boolean => !keys.startsWith('mod+') && !keys.startsWith('alt+') && keys !== 'escape'

/**
 * Says what the keys pressed so far are: a shortcut, the beginning of one (`more`), or nothing. Of two shortcuts with the same keys the one that was
 * added later works.
 */
export function matchKeys(
  pressed: readonly string[],
  known: readonly Shortcut[],
): { shortcut: Shortcut } | { more: true } | { nothing: true } {
  const text = pressed.join(' ')
  const shortcut = known.findLast(({ keys }) => keys === text)
  if (shortcut !== undefined) return { shortcut }
  return known.some(({ keys }) => keys.startsWith(`${text} `)) ? { more: true } : { nothing: true }
}

/** Writes the keys of a shortcut for people: 'mod+k' becomes '⌘ K' or 'Ctrl K'. */
export function keysText(keys: string, isMac: boolean): string {
  const names: Record<string, string> = { mod: isMac ? '⌘' : 'Ctrl', alt: isMac ? '⌥' : 'Alt', enter: 'Enter', escape: 'Esc' }
  return keys
    .split(/[ +]/)
    .map((key) => names[key] ?? (key.length === 1 ? key.toUpperCase() : key))
    .join(' ')
}
