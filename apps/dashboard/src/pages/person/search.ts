import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. `device`: the one whose pushes are listed; without it the newest of all. */
export type PersonSearch = {
  device?: string | undefined
}

/** Reads it; what is not understood is left out. */
export const validatePersonSearch = (raw: Record<string, unknown>): PersonSearch => tidy({ device: textIn(raw, 'device') })
