import { textIn, tidy } from '../../core/search.ts'

/** The search parameters of this page. `device`: the one whose pushes are listed; without it the newest of all. */
export type PersonSearch = {
  device?: string | undefined
}

/** Reads the search parameters. What it does not understand is left out. */
export const validatePersonSearch = (raw: Record<string, unknown>): PersonSearch => tidy({ device: textIn(raw, 'device') })
