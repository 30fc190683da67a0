import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. */
export type SettingsSearch = {
  tab?: string | undefined
}

/** Reads it; what is not understood is left out. */
export const validateSettingsSearch = (raw: Record<string, unknown>): SettingsSearch => tidy({ tab: textIn(raw, 'tab') })
