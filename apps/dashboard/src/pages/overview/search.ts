import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. */
export type OverviewSearch = {
  days?: string | undefined
}

/** Reads it; what is not understood is left out. */
export const validateOverviewSearch = (raw: Record<string, unknown>): OverviewSearch => tidy({ days: textIn(raw, 'days') })
