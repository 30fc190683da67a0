import { tidy, wordIn } from '../../core/search.ts'

export const metrics = ['opened', 'clicked'] as const

/** What the address of this page says beside its path: what an experiment is compared by. */
export type CampaignSearch = { metric?: (typeof metrics)[number] | undefined }

/** Reads the search parameters. What it does not understand is left out. */
export const validateCampaignSearch = (raw: Record<string, unknown>): CampaignSearch => tidy({ metric: wordIn(raw, 'metric', metrics) })
