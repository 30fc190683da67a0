import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. */
export type ProvidersSearch = {
  tab?: string | undefined
}

/** Reads it; what is not understood is left out. */
export const validateProvidersSearch = (raw: Record<string, unknown>): ProvidersSearch => tidy({ tab: textIn(raw, 'tab') })
