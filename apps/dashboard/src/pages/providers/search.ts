import { tidy, wordIn } from '../../core/search.ts'

/** The search parameters of this page. `set` is the provider whose credentials are being set. */
export type ProvidersSearch = {
  set?: 'apns' | 'fcm' | 'webpush' | undefined
}

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validateProvidersSearch = (raw: Record<string, unknown>): ProvidersSearch =>
  tidy({ set: wordIn(raw, 'set', ['apns', 'fcm', 'webpush'] as const) })
