import { tidy, wordIn } from '../../core/search.ts'

/** The search parameters of this page. */
export type WebhooksSearch = {
  tab?: 'events' | undefined
}

/** Reads the search parameters. What it does not understand is left out. */
export const validateWebhooksSearch = (raw: Record<string, unknown>): WebhooksSearch =>
  tidy({ tab: wordIn(raw, 'tab', ['events'] as const) })
