import { useSyncExternalStore } from 'react'

// The browser keeps these preferences under this key: the theme, whether single keys are shortcuts, and the ids of the apps that were opened last.
const key = 'herald'

export type Theme = 'system' | 'light' | 'dark'
export type Preferences = { theme: Theme; singleKeys: boolean; lastApps: readonly string[] }

const first: Preferences = { theme: 'system', singleKeys: true, lastApps: [] }
const mostApps = 5
let now: Preferences = read()
const watchers = new Set<() => void>()

function read(): Preferences {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '{}')
    if (typeof kept !== 'object' || kept === null) return first
    const { theme, singleKeys, lastApps } = kept as Partial<Record<keyof Preferences, unknown>>
    return {
      theme: theme === 'light' || theme === 'dark' ? theme : 'system',
      singleKeys: singleKeys !== false,
      lastApps: Array.isArray(lastApps)
        ? lastApps.filter((id) => typeof id === 'string' && /^[0-9a-f]{24}$/.test(id)).slice(0, mostApps)
        : [],
    }
  } catch {
    return first
  }
}

export const preferences = (): Preferences => now

/** Changes preferences, and stores them if the browser allows it. */
export function prefer(some: Partial<Preferences>): void {
  now = { ...now, ...some }
  try {
    localStorage.setItem(key, JSON.stringify(now))
  } catch {
    // Storage is blocked or full, so the change holds until the page is closed.
  }
  for (const watcher of watchers) watcher()
}

/** Puts an app at the front of the apps that were opened last. */
export function rememberApp(appId: string): void {
  if (now.lastApps[0] !== appId) prefer({ lastApps: [appId, ...now.lastApps.filter((id) => id !== appId)].slice(0, mostApps) })
}

/** Calls `watcher` when a preference changes, until the returned function is called, as useSyncExternalStore wants it. */
export function watchPreferences(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/** Gives the preferences of this browser, and renders the component again when one changes. */
export const usePreferences = (): Preferences => useSyncExternalStore(watchPreferences, preferences)

/** Sets the theme of the page now and whenever it changes: the theme that the operator has chosen, else that of the operating system. */
export function followTheme(): void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const put = (): void => {
    const { theme } = preferences()
    document.documentElement.dataset['theme'] = theme === 'system' ? (system.matches ? 'dark' : 'light') : theme
  }
  system.addEventListener('change', put)
  watchPreferences(put)
  put()
}
