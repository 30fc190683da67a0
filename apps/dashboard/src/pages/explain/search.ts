import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. `device`: which of several devices of a user is shown. */
export type ExplainSearch = {
  campaignId?: string | undefined
  subscriptionId?: string | undefined
  userId?: string | undefined
  externalId?: string | undefined
  device?: string | undefined
}

/** Reads it; what is not understood is left out. */
export const validateExplainSearch = (raw: Record<string, unknown>): ExplainSearch =>
  tidy({
    campaignId: textIn(raw, 'campaignId'),
    subscriptionId: textIn(raw, 'subscriptionId'),
    userId: textIn(raw, 'userId'),
    externalId: textIn(raw, 'externalId'),
    device: textIn(raw, 'device'),
  })
