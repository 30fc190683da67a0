import { useSyncExternalStore } from 'react'
import { preferences, watchPreferences, type Preferences } from './preferences.ts'

/** How this browser wants the dashboard. */
export const usePreferences = (): Preferences => useSyncExternalStore(watchPreferences, preferences)
