import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. */
export type KeysSearch = {
  tab?: string | undefined
}

/** Reads it; what is not understood is left out. */
export const validateKeysSearch = (raw: Record<string, unknown>): KeysSearch => tidy({ tab: textIn(raw, 'tab') })
