import { textIn, tidy } from '../../core/search.ts'

/** The search parameters of this page. */
export type OverviewSearch = {
  days?: string | undefined
}

/** Reads the search parameters. What it does not understand is left out. */
export const validateOverviewSearch = (raw: Record<string, unknown>): OverviewSearch => tidy({ days: textIn(raw, 'days') })
