import { textIn, tidy, wordIn } from '../../core/search.ts'

/** The search parameters of this page. `state` filters the deliveries; `deliveryId` is the delivery that is open. */
export type WebhookSearch = {
  state?: 'pending' | 'delivered' | 'failed' | 'erased' | undefined
  deliveryId?: string | undefined
}

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validateWebhookSearch = (raw: Record<string, unknown>): WebhookSearch =>
  tidy({ state: wordIn(raw, 'state', ['pending', 'delivered', 'failed', 'erased'] as const), deliveryId: textIn(raw, 'deliveryId') })
