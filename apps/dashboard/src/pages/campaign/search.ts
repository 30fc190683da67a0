import { textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. */
export type CampaignSearch = {
  tab?: string | undefined
}

/** Reads it; what is not understood is left out. */
export const validateCampaignSearch = (raw: Record<string, unknown>): CampaignSearch => tidy({ tab: textIn(raw, 'tab') })
