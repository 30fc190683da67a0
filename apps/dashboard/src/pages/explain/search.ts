import { textIn, tidy } from '../../core/search.ts'

/** The search parameters of this page. `device`: which of several devices of a user is shown. */
export type ExplainSearch = {
  campaignId?: string | undefined
  subscriptionId?: string | undefined
  userId?: string | undefined
  externalId?: string | undefined
  device?: string | undefined
}

/** Reads the search parameters. What it does not understand is left out. */
export const validateExplainSearch = (raw: Record<string, unknown>): ExplainSearch =>
  tidy({
    campaignId: textIn(raw, 'campaignId'),
    subscriptionId: textIn(raw, 'subscriptionId'),
    userId: textIn(raw, 'userId'),
    externalId: textIn(raw, 'externalId'),
    device: textIn(raw, 'device'),
  })
