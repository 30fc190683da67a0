import { textIn, tidy } from '../../core/search.ts'

/** The filter of the list: the beginning of a name. */
export type SegmentsSearch = { q?: string | undefined }

/** Reads the search parameters. What it does not understand is left out. */
export const validateSegmentsSearch = (raw: Record<string, unknown>): SegmentsSearch => tidy({ q: textIn(raw, 'q') })
