import { platforms, type Platform } from '@herald/contracts/platform'
import { tidy, wordIn } from '../../core/search.ts'

/** The search parameters of this page: only devices of this `platform` are shown. */
export type InboxSearch = { platform?: Platform | undefined }

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validateInboxSearch = (raw: Record<string, unknown>): InboxSearch => tidy({ platform: wordIn(raw, 'platform', platforms) })
