import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. */
export type ExplainSearch = {
  campaignId?: string | undefined
  subscriptionId?: string | undefined
  userId?: string | undefined
  externalId?: string | undefined
}

/** Reads it; what is not understood is left out. */
export const validateExplainSearch = (raw: Record<string, unknown>): ExplainSearch =>
  tidy({
    campaignId: textIn(raw, 'campaignId'),
    subscriptionId: textIn(raw, 'subscriptionId'),
    userId: textIn(raw, 'userId'),
    externalId: textIn(raw, 'externalId'),
  })
