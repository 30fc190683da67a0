import type { Shortcut } from './useShortcut.ts'

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>

/** Gives the name of a pressed key as shortcuts write it: 'mod+enter', 'g', '?'. `mod` is Ctrl or ⌘. */
export function keyName({ key, ctrlKey, metaKey, altKey }: Pressed): string {
  const name = key === ' ' ? 'space' : key.toLowerCase()
  return `${ctrlKey || metaKey ? 'mod+' : ''}${altKey ? 'alt+' : ''}${name}`
}

/**
 * Says whether a shortcut is pressed without Ctrl, ⌘ and Alt, and is not Escape. The operator can switch such shortcuts off (WCAG 2.1.4), and they do
 * nothing in a field or while a dialog is open.
 */
export const isSingleKey = (keys: string): boolean => !keys.startsWith('mod+') && !keys.startsWith('alt+') && keys !== 'escape'

/**
 * Finds the shortcut whose keys were pressed one after another; of two with the same keys the one added later. `more`: a shortcut only begins with
 * the pressed keys. `nothing`: none does.
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

/** Writes the keys of a shortcut as the operator's keyboard names them: 'mod+k' becomes '⌘ K' on a Mac and 'Ctrl K' elsewhere. */
export function keysText(keys: string, isMac: boolean): string {
  const names: Record<string, string> = { mod: isMac ? '⌘' : 'Ctrl', alt: isMac ? '⌥' : 'Alt', enter: 'Enter', escape: 'Esc' }
  return keys
    .split(/[ +]/)
    .map((key) => names[key] ?? (key.length === 1 ? key.toUpperCase() : key))
    .join(' ')
}
