import { textIn, tidy } from '../../core/search.ts'

/** The search parameters of this page. */
export type TemplatesSearch = { q?: string | undefined }

/** Reads the search parameters. What it does not understand is left out. */
export const validateTemplatesSearch = (raw: Record<string, unknown>): TemplatesSearch => tidy({ q: textIn(raw, 'q') })
