import { providerKinds, type ProviderKind } from '@herald/contracts/app'
import { tidy, wordIn } from '../../core/search.ts'

/** The search parameters of this page. `set` is the provider whose credentials are being set. */
export type ProvidersSearch = {
  set?: ProviderKind | undefined
}

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validateProvidersSearch = (raw: Record<string, unknown>): ProvidersSearch => tidy({ set: wordIn(raw, 'set', providerKinds) })
