import { tidy, wordIn } from '../../core/search.ts'

/** What the address of this page says beside its path. `set`: whose credentials are being given. */
export type ProvidersSearch = {
  set?: 'apns' | 'fcm' | 'webpush' | undefined
}

/** Reads it; what is not understood is left out. */
export const validateProvidersSearch = (raw: Record<string, unknown>): ProvidersSearch =>
  tidy({ set: wordIn(raw, 'set', ['apns', 'fcm', 'webpush'] as const) })
