import { textIn, tidy } from '../../core/search.ts'

export type KeysSearch = {
  tab?: string | undefined
}

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validateKeysSearch = (raw: Record<string, unknown>): KeysSearch => tidy({ tab: textIn(raw, 'tab') })
