import { tidy, wordIn } from '../../core/search.ts'

export type WebhooksSearch = {
  tab?: 'events' | undefined
}

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validateWebhooksSearch = (raw: Record<string, unknown>): WebhooksSearch =>
  tidy({ tab: wordIn(raw, 'tab', ['events'] as const) })
