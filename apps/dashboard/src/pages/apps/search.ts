import { textIn, tidy } from '../../core/search.ts'

/** The search parameters of this page: `q` is the beginning of a name. */
export type AppsSearch = { q?: string | undefined }

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validateAppsSearch = (raw: Record<string, unknown>): AppsSearch => tidy({ q: textIn(raw, 'q') })
