import { textIn, tidy } from '../../core/search.ts'

export type SettingsSearch = {
  tab?: string | undefined
}

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validateSettingsSearch = (raw: Record<string, unknown>): SettingsSearch => tidy({ tab: textIn(raw, 'tab') })
