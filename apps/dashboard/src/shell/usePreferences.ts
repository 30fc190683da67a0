import { useSyncExternalStore } from 'react'
import { preferences, watchPreferences, type Preferences } from './preferences.ts'

/** The preferences of this browser. */
export const usePreferences = (): Preferences => useSyncExternalStore(watchPreferences, preferences)
