import { textIn, tidy } from '../../core/search.ts'

/** The search parameters of this page. */
export type SegmentSearch = {
  tab?: string | undefined
}

/** Reads the search parameters. What it does not understand is left out. */
export const validateSegmentSearch = (raw: Record<string, unknown>): SegmentSearch => tidy({ tab: textIn(raw, 'tab') })
