import { tidy, wordIn } from '../../core/search.ts'

/** The search parameters: which devices are shown. */
export type InboxSearch = { platform?: 'ios' | 'android' | 'web' | undefined }

/** Reads the search parameters. What it does not understand is left out. */
export const validateInboxSearch = (raw: Record<string, unknown>): InboxSearch =>
  tidy({ platform: wordIn(raw, 'platform', ['ios', 'android', 'web']) })
