import { textIn, tidy } from '../../core/search.ts'

/** The filter of the list: the beginning of a name. */
export type SegmentsSearch = { q?: string | undefined }

/** Reads it; what is not understood is left out. */
export const validateSegmentsSearch = (raw: Record<string, unknown>): SegmentsSearch => tidy({ q: textIn(raw, 'q') })
