import { textIn, tidy } from '../../core/search.ts'

/** The search parameters of this page: the language on screen, and the user for whom the text is filled in. */
export type TemplateSearch = { locale?: string | undefined; person?: string | undefined }

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validateTemplateSearch = (raw: Record<string, unknown>): TemplateSearch =>
  tidy({ locale: textIn(raw, 'locale'), person: textIn(raw, 'person') })
