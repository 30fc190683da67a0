import { tidy, wordIn } from '../../core/search.ts'

export const metrics = ['opened', 'clicked'] as const

/** The search parameters of this page: `metric` is what the variants of an experiment are compared by. */
export type CampaignSearch = { metric?: (typeof metrics)[number] | undefined }

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validateCampaignSearch = (raw: Record<string, unknown>): CampaignSearch => tidy({ metric: wordIn(raw, 'metric', metrics) })
