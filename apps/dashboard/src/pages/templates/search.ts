import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. */
export type TemplatesSearch = { q?: string | undefined }

/** Reads it; what is not understood is left out. */
export const validateTemplatesSearch = (raw: Record<string, unknown>): TemplatesSearch => tidy({ q: textIn(raw, 'q') })
