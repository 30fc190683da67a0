import { flagIn, textIn, tidy } from '../../core/search.ts'

/** What the address of this page says beside its path. */
export type CampaignsSearch = {
  status?: string | undefined
  transactional?: boolean | undefined
  q?: string | undefined
}

/** Reads it; what is not understood is left out. */
export const validateCampaignsSearch = (raw: Record<string, unknown>): CampaignsSearch =>
  tidy({ status: textIn(raw, 'status'), transactional: flagIn(raw, 'transactional'), q: textIn(raw, 'q') })
