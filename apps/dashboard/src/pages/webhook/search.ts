import { textIn, tidy, wordIn } from '../../core/search.ts'

/** The search parameters of this page. `state`: which deliveries are listed; `deliveryId`: the one that is open. */
export type WebhookSearch = {
  state?: 'pending' | 'delivered' | 'failed' | 'erased' | undefined
  deliveryId?: string | undefined
}

/** Reads the search parameters. What it does not understand is left out. */
export const validateWebhookSearch = (raw: Record<string, unknown>): WebhookSearch =>
  tidy({ state: wordIn(raw, 'state', ['pending', 'delivered', 'failed', 'erased'] as const), deliveryId: textIn(raw, 'deliveryId') })
