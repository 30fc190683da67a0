import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. */
export type SegmentsSearch = {
  q?: string | undefined
}

/** Reads it; what is not understood is left out. */
export const validateSegmentsSearch = (raw: Record<string, unknown>): SegmentsSearch => tidy({ q: textIn(raw, 'q') })
