export const logOutcomes = ['open', 'sent', 'failed', 'skipped'] as const
export const logPlatforms = ['ios', 'android', 'web'] as const

export type LogSearch = {
  outcome?: (typeof logOutcomes)[number]
  code?: string
  platform?: (typeof logPlatforms)[number]
  campaignId?: string
  subscriptionId?: string
  userId?: string
  /** Moments as ISO, in UTC. */
  from?: string
  to?: string
  /** The log follows events as they happen. */
  tail?: true
}

/** The filters of the log, as its address has them; what is not one of them is left out. */
export function validateLogSearch(raw: Record<string, unknown>): LogSearch {
  const outcome = logOutcomes.find((one) => one === raw['outcome'])
  const platform = logPlatforms.find((one) => one === raw['platform'])
  return {
    ...(outcome ? { outcome } : {}),
    ...(platform ? { platform } : {}),
    ...texts(raw, ['code'], /^[a-z_]{1,64}$/),
    ...texts(raw, ['campaignId', 'subscriptionId', 'userId'], /^[0-9a-f]{24}$/),
    ...moments(raw),
    ...(raw['tail'] === true ? { tail: true } : {}),
  }
}

function texts<Name extends string>(raw: Record<string, unknown>, names: readonly Name[], form: RegExp): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = String(raw[name] ?? '')
    if (form.test(value)) found[name] = value
  }
  return found
}

function moments(raw: Record<string, unknown>): Pick<LogSearch, 'from' | 'to'> {
  const [from, to] = ['from', 'to'].map((name) => (typeof raw[name] === 'string' ? Date.parse(raw[name]) : Number.NaN))
  return {
    ...(Number.isNaN(from) ? {} : { from: new Date(from ?? 0).toISOString() }),
    ...(Number.isNaN(to) ? {} : { to: new Date(to ?? 0).toISOString() }),
  }
}
