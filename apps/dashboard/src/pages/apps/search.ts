import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path: the start of a name. */
export type AppsSearch = { q?: string | undefined }

/** Reads it; what is not understood is left out. */
export const validateAppsSearch = (raw: Record<string, unknown>): AppsSearch => tidy({ q: textIn(raw, 'q') })
