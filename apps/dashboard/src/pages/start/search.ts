import { textIn, tidy, wordIn } from '../../core/search.ts'

/** The kind of first device. */
export const ways = ['browser', 'phone', 'app'] as const
export type Way = (typeof ways)[number]

/** What the address of this page says beside its path: the way that was chosen, and the device that was made. */
export type StartSearch = { way?: Way | undefined; deviceId?: string | undefined }

/** Reads the search parameters. What it does not understand is left out. */
export const validateStartSearch = (raw: Record<string, unknown>): StartSearch =>
  tidy({ way: wordIn(raw, 'way', ways), deviceId: textIn(raw, 'deviceId') })
