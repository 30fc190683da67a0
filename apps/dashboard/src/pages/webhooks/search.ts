import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. */
export type WebhooksSearch = {
  tab?: string | undefined
}

/** Reads it; what is not understood is left out. */
export const validateWebhooksSearch = (raw: Record<string, unknown>): WebhooksSearch => tidy({ tab: textIn(raw, 'tab') })
