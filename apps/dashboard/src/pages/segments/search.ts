import { searchTexts } from '../../core/search-texts.ts'

export type SegmentsSearch = { q?: string }

/** The filter of the list: the beginning of a name. */
export const validateSegmentsSearch = (raw: Record<string, unknown>): SegmentsSearch => searchTexts(raw, ['q'])
