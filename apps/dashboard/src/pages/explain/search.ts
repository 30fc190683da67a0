import { textIn, tidy } from '../../core/search.ts'

/** The search parameters of this page. `device` is the device of the user that is shown. */
export type ExplainSearch = {
  campaignId?: string | undefined
  subscriptionId?: string | undefined
  userId?: string | undefined
  externalId?: string | undefined
  device?: string | undefined
}

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validateExplainSearch = (raw: Record<string, unknown>): ExplainSearch =>
  tidy({
    campaignId: textIn(raw, 'campaignId'),
    subscriptionId: textIn(raw, 'subscriptionId'),
    userId: textIn(raw, 'userId'),
    externalId: textIn(raw, 'externalId'),
    device: textIn(raw, 'device'),
  })
