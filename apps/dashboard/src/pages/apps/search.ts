import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path: the start of a name. */
export type AppsSearch = { q?: string | undefined }

/** Reads the search parameters. What it does not understand is left out. */
export const validateAppsSearch = (raw: Record<string, unknown>): AppsSearch => tidy({ q: textIn(raw, 'q') })
