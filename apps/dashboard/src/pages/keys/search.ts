import { textIn, tidy } from '../../core/search.ts'

/** The search parameters of this page. */
export type KeysSearch = {
  tab?: string | undefined
}

/** Reads the search parameters. What it does not understand is left out. */
export const validateKeysSearch = (raw: Record<string, unknown>): KeysSearch => tidy({ tab: textIn(raw, 'tab') })
