import { textIn, tidy, wordIn } from '../../core/search.ts'

/** The kinds of first device: this browser, a virtual phone, or a device of the operator's own mobile app or site. */
export const ways = ['browser', 'phone', 'app'] as const
export type Way = (typeof ways)[number]

/** The search parameters of this page: the chosen kind of first device, and the device itself. */
export type StartSearch = { way?: Way | undefined; deviceId?: string | undefined }

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validateStartSearch = (raw: Record<string, unknown>): StartSearch =>
  tidy({ way: wordIn(raw, 'way', ways), deviceId: textIn(raw, 'deviceId') })
