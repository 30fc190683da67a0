// The preferences that the browser keeps: the theme, whether single letters are shortcuts, and the ids of the apps opened last. Nothing of what an app holds.
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

/** The preferences of this browser. */
export const preferences = (): Preferences => now

/** Changes some preferences, and keeps them if the browser allows it. */
export function prefer(some: Partial<Preferences>): void {
  now = { ...now, ...some }
  try {
    localStorage.setItem(key, JSON.stringify(now))
  } catch {
    // Storage is blocked or full: the change holds until the page is closed.
  }
  for (const watcher of watchers) watcher()
}

/** Notes that an app was opened: it becomes the first of the last apps. */
export function rememberApp(appId: string): void {
  if (now.lastApps[0] !== appId) prefer({ lastApps: [appId, ...now.lastApps.filter((id) => id !== appId)].slice(0, mostApps) })
}

/** For useSyncExternalStore. */
export function watchPreferences(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}
