import { textIn, tidy } from '../../core/search.ts'

export type OverviewSearch = {
  days?: string | undefined
}

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validateOverviewSearch = (raw: Record<string, unknown>): OverviewSearch => tidy({ days: textIn(raw, 'days') })
