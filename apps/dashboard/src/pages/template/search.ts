import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path: the language on screen, and for whom it is filled in. */
export type TemplateSearch = { locale?: string | undefined; person?: string | undefined }

/** Reads the search parameters. What it does not understand is left out. */
export const validateTemplateSearch = (raw: Record<string, unknown>): TemplateSearch =>
  tidy({ locale: textIn(raw, 'locale'), person: textIn(raw, 'person') })
