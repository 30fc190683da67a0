import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. */
export type PeopleSearch = {
  q?: string | undefined
}

/** Reads it; what is not understood is left out. */
export const validatePeopleSearch = (raw: Record<string, unknown>): PeopleSearch => tidy({ q: textIn(raw, 'q') })
