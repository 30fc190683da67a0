import { flagIn, textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. */
export type LogSearch = {
  outcome?: string | undefined
  code?: string | undefined
  platform?: string | undefined
  campaignId?: string | undefined
  subscriptionId?: string | undefined
  from?: string | undefined
  to?: string | undefined
  live?: boolean | undefined
}

/** Reads it; what is not understood is left out. */
export const validateLogSearch = (raw: Record<string, unknown>): LogSearch =>
  tidy({
    outcome: textIn(raw, 'outcome'),
    code: textIn(raw, 'code'),
    platform: textIn(raw, 'platform'),
    campaignId: textIn(raw, 'campaignId'),
    subscriptionId: textIn(raw, 'subscriptionId'),
    from: textIn(raw, 'from'),
    to: textIn(raw, 'to'),
    live: flagIn(raw, 'live'),
  })
