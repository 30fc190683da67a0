import { flagIn, textIn, tidy, wordIn } from '../../core/search.ts'

export const campaignStatuses = ['draft', 'scheduled', 'sending', 'active', 'paused', 'sent', 'cancelled', 'failed'] as const

export type CampaignsSearch = {
  status?: (typeof campaignStatuses)[number] | undefined
  transactional?: boolean | undefined
  test?: boolean | undefined
  q?: string | undefined
  cursor?: string | undefined
}

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validateCampaignsSearch = (raw: Record<string, unknown>): CampaignsSearch =>
  tidy({
    status: wordIn(raw, 'status', campaignStatuses),
    transactional: flagIn(raw, 'transactional') || undefined,
    test: flagIn(raw, 'test') || undefined,
    q: textIn(raw, 'q')?.slice(0, 200),
    cursor: textIn(raw, 'cursor')?.slice(0, 200),
  })
