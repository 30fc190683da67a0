import { textIn, tidy } from '../../core/search.ts'

/** The search parameters of this page. `device` is the device whose pushes are listed; without it the newest pushes to all devices are. */
export type PersonSearch = {
  device?: string | undefined
}

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validatePersonSearch = (raw: Record<string, unknown>): PersonSearch => tidy({ device: textIn(raw, 'device') })
