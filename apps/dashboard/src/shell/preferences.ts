// The one place that keeps something in the browser: how it looks, and the ids of the apps opened last. Nothing of what an app holds.
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

/** How this browser wants the dashboard. */
export const preferences = (): Preferences => now

/** Changes some of it, and keeps it where the browser allows that. */
export function prefer(some: Partial<Preferences>): void {
  now = { ...now, ...some }
  try {
    localStorage.setItem(key, JSON.stringify(now))
  } catch {
    // Storage is blocked or full: it holds until the page is closed.
  }
  for (const watcher of watchers) watcher()
}

/** Puts an app at the head of the last ones. */
export function rememberApp(appId: string): void {
  if (now.lastApps[0] !== appId) prefer({ lastApps: [appId, ...now.lastApps.filter((id) => id !== appId)].slice(0, mostApps) })
}

/** For useSyncExternalStore. */
export function watchPreferences(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}
