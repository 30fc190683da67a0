import { tidy, wordIn } from '../../core/search.ts'

/** The search parameters of this page. `set`: whose credentials are being given. */
export type ProvidersSearch = {
  set?: 'apns' | 'fcm' | 'webpush' | undefined
}

/** Reads the search parameters. What it does not understand is left out. */
export const validateProvidersSearch = (raw: Record<string, unknown>): ProvidersSearch =>
  tidy({ set: wordIn(raw, 'set', ['apns', 'fcm', 'webpush'] as const) })
