import { textIn, tidy } from '../../core/search.ts'

/** The search parameters of this page: `q` is the filter by name. */
export type TemplatesSearch = { q?: string | undefined }

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validateTemplatesSearch = (raw: Record<string, unknown>): TemplatesSearch => tidy({ q: textIn(raw, 'q') })
