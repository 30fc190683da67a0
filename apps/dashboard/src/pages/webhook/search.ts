import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. */
export type WebhookSearch = {
  tab?: string | undefined
  deliveryId?: string | undefined
}

/** Reads it; what is not understood is left out. */
export const validateWebhookSearch = (raw: Record<string, unknown>): WebhookSearch =>
  tidy({ tab: textIn(raw, 'tab'), deliveryId: textIn(raw, 'deliveryId') })
