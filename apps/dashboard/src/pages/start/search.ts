import { textIn, tidy, wordIn } from '../../core/search.ts'

/** How the first device comes to be. */
export const ways = ['browser', 'phone', 'app'] as const
export type Way = (typeof ways)[number]

/** What the address of this page says beside its path: the way that was chosen, and the device that was made. */
export type StartSearch = { way?: Way | undefined; deviceId?: string | undefined }

/** Reads it; what is not understood is left out. */
export const validateStartSearch = (raw: Record<string, unknown>): StartSearch =>
  tidy({ way: wordIn(raw, 'way', ways), deviceId: textIn(raw, 'deviceId') })
