import { textIn, tidy, wordIn } from '../../core/search.ts'

/** What the address of this page says beside its path. `state`: which deliveries are listed; `deliveryId`: the one that is open. */
export type WebhookSearch = {
  state?: 'pending' | 'delivered' | 'failed' | 'erased' | undefined
  deliveryId?: string | undefined
}

/** Reads it; what is not understood is left out. */
export const validateWebhookSearch = (raw: Record<string, unknown>): WebhookSearch =>
  tidy({ state: wordIn(raw, 'state', ['pending', 'delivered', 'failed', 'erased'] as const), deliveryId: textIn(raw, 'deliveryId') })
