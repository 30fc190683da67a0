import { textIn, tidy } from '../../core/search.ts'

/** The search parameters of this page. */
export type SettingsSearch = {
  tab?: string | undefined
}

/** Reads the search parameters. What it does not understand is left out. */
export const validateSettingsSearch = (raw: Record<string, unknown>): SettingsSearch => tidy({ tab: textIn(raw, 'tab') })
