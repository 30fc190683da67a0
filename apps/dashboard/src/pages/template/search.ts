import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. */
export type TemplateSearch = {
  tab?: string | undefined
}

/** Reads it; what is not understood is left out. */
export const validateTemplateSearch = (raw: Record<string, unknown>): TemplateSearch => tidy({ tab: textIn(raw, 'tab') })
