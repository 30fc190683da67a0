import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. */
export type PersonSearch = {
  tab?: string | undefined
}

/** Reads it; what is not understood is left out. */
export const validatePersonSearch = (raw: Record<string, unknown>): PersonSearch => tidy({ tab: textIn(raw, 'tab') })
