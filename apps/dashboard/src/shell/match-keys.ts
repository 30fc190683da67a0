import type { Shortcut } from './shortcuts.ts'

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>

/** A key press as shortcuts write it: 'mod+enter', 'g', '?'. */
export function keyName({ key, ctrlKey, metaKey, altKey }: Pressed): string {
  const name = key === ' ' ? 'space' : key.length === 1 ? key.toLowerCase() : key.toLowerCase()
  return `${ctrlKey || metaKey ? 'mod+' : ''}${altKey ? 'alt+' : ''}${name}`
}

/** Whether a shortcut is made of letters without a modifier: those can be switched off, and do not work in fields (WCAG 2.1.4). */
export const isSingleKey = (keys: string): boolean => !keys.startsWith('mod+') && !keys.startsWith('alt+') && keys !== 'escape'

/** What the keys pressed so far mean: a shortcut, the beginning of one (`more`), or nothing. Of two with the same keys the later one wins. */
export function matchKeys(
  pressed: readonly string[],
  known: readonly Shortcut[],
): { shortcut: Shortcut } | { more: true } | { nothing: true } {
  const text = pressed.join(' ')
  const shortcut = known.findLast(({ keys }) => keys === text)
  if (shortcut !== undefined) return { shortcut }
  return known.some(({ keys }) => keys.startsWith(`${text} `)) ? { more: true } : { nothing: true }
}

/** Keys as they are shown: 'mod+k' → '⌘ K' or 'Ctrl K'. */
export function keysText(keys: string, isMac: boolean): string {
  const names: Record<string, string> = { mod: isMac ? '⌘' : 'Ctrl', alt: isMac ? '⌥' : 'Alt', enter: 'Enter', escape: 'Esc' }
  return keys
    .split(/[ +]/)
    .map((key) => names[key] ?? (key.length === 1 ? key.toUpperCase() : key))
    .join(' ')
}
