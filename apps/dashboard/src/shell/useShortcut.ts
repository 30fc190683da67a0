import { useEffect, useRef } from 'react'

/** A function that runs when the operator presses `keys`: one key, or several one after another, such as 'mod+enter', '/', 'n' and 'g c'. */
export type Shortcut = { keys: string; run: () => void; description: string }

const all: Shortcut[] = []
const watchers = new Set<() => void>()
let snapshot: readonly Shortcut[] = []

function tell(): void {
  snapshot = [...all]
  for (const watcher of watchers) watcher()
}

/** Adds a shortcut and gives the function that removes it. Of two shortcuts with the same keys the one that was added later works. */
export function addShortcut(shortcut: Shortcut): () => void {
  all.push(shortcut)
  tell()
  return () => {
    all.splice(all.indexOf(shortcut), 1)
    tell()
  }
}

/** Gives the shortcuts that work on this page. */
export const shortcuts = (): readonly Shortcut[] => snapshot

/** Calls `watcher` when a shortcut is added or removed, until the returned function is called, as useSyncExternalStore wants it. */
export function watchShortcuts(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/** Adds a shortcut while the component is shown. The help (`?`) lists it with its description. */
export function useShortcut(keys: string, run: () => void, description: string): void {
  const latest = useRef(run)
  useEffect(() => {
    latest.current = run
  })
  useEffect(() => addShortcut({ keys, description, run: () => latest.current() }), [keys, description])
}
