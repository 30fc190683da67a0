import { textIn, tidy } from '../../core/search.ts'

export type SegmentSearch = {
  tab?: string | undefined
}

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validateSegmentSearch = (raw: Record<string, unknown>): SegmentSearch => tidy({ tab: textIn(raw, 'tab') })
