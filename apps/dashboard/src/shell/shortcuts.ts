/** A key or a sequence of keys that does something: 'mod+enter', '/', 'n', 'g c'. */
export type Shortcut = { keys: string; run: () => void; description: string }

const all: Shortcut[] = []
const watchers = new Set<() => void>()
let snapshot: readonly Shortcut[] = []

function tell(): void {
  snapshot = [...all]
  for (const watcher of watchers) watcher()
}

/** Adds a shortcut, and gives the function that removes it. Of two with the same keys the later one wins. */
export function addShortcut(shortcut: Shortcut): () => void {
  all.push(shortcut)
  tell()
  return () => {
    all.splice(all.indexOf(shortcut), 1)
    tell()
  }
}

/** The shortcuts that work on this page. */
export const shortcuts = (): readonly Shortcut[] => snapshot

/** For useSyncExternalStore. */
export function watchShortcuts(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}
