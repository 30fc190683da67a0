import { tidy, wordIn } from '../../core/search.ts'

/** Which devices are on the wall. */
export type InboxSearch = { platform?: 'ios' | 'android' | 'web' | undefined }

/** Reads it; what is not understood is left out. */
export const validateInboxSearch = (raw: Record<string, unknown>): InboxSearch =>
  tidy({ platform: wordIn(raw, 'platform', ['ios', 'android', 'web']) })
