import { searchTexts } from '../../core/search-texts.ts'

export type InboxSearch = { platform?: 'ios' | 'android' | 'web' }

/** Which devices are on the wall. */
export function validateInboxSearch(raw: Record<string, unknown>): InboxSearch {
  const { platform } = searchTexts(raw, ['platform'])
  return platform === 'ios' || platform === 'android' || platform === 'web' ? { platform } : {}
}
