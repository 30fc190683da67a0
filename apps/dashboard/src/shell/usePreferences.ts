import { useSyncExternalStore } from 'react'
import { preferences, watchPreferences, type Preferences } from './preferences.ts'

/** Gives the preferences of this browser, also after a change. */
export const usePreferences = (): Preferences => useSyncExternalStore(watchPreferences, preferences)
