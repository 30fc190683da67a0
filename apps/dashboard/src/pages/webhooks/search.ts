import { tidy, wordIn } from '../../core/search.ts'

/** What the address of this page says beside its path. */
export type WebhooksSearch = {
  tab?: 'events' | undefined
}

/** Reads it; what is not understood is left out. */
export const validateWebhooksSearch = (raw: Record<string, unknown>): WebhooksSearch =>
  tidy({ tab: wordIn(raw, 'tab', ['events'] as const) })
