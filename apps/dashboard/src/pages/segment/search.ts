import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. */
export type SegmentSearch = {
  tab?: string | undefined
}

/** Reads it; what is not understood is left out. */
export const validateSegmentSearch = (raw: Record<string, unknown>): SegmentSearch => tidy({ tab: textIn(raw, 'tab') })
