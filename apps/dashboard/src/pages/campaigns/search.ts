const statuses = ['draft', 'scheduled', 'sending', 'active', 'paused', 'sent', 'cancelled', 'failed'] as const
export type CampaignsSearch = { status?: (typeof statuses)[number]; transactional?: true; test?: true; q?: string; cursor?: string }

/** The filters of the list of campaigns, as its address has them; what is not one of them is left out. */
export function validateCampaignsSearch(raw: Record<string, unknown>): CampaignsSearch {
  const status = statuses.find((one) => one === raw['status'])
  const q = typeof raw['q'] === 'string' || typeof raw['q'] === 'number' ? String(raw['q']) : ''
  const cursor = raw['cursor']
  return {
    ...(status ? { status } : {}),
    ...(raw['transactional'] === true ? { transactional: true } : {}),
    ...(raw['test'] === true ? { test: true } : {}),
    ...(q === '' ? {} : { q }),
    ...(typeof cursor === 'string' ? { cursor } : {}),
  }
}

export { statuses as campaignStatuses }
