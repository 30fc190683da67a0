import { platforms, type Platform } from '@herald/contracts/platform'
import { flagIn, textIn, tidy, wordIn } from '../../core/search.ts'

export const logOutcomes = ['open', 'sent', 'failed', 'skipped'] as const

/** The search parameters of this page: the filters of the log. */
export type LogSearch = {
  outcome?: (typeof logOutcomes)[number] | undefined
  code?: string | undefined
  platform?: Platform | undefined
  campaignId?: string | undefined
  subscriptionId?: string | undefined
  userId?: string | undefined
  /** Times in ISO 8601, in UTC. */
  from?: string | undefined
  to?: string | undefined
  /** Whether the live tail is shown. */
  live?: boolean | undefined
}

/** The filters that are set. */
export type LogFilter = { [Name in Exclude<keyof LogSearch, 'live'>]?: NonNullable<LogSearch[Name]> }

export function filterOf(search: LogSearch): LogFilter {
  const { live: _, ...filter } = search
  return tidy(filter) as LogFilter
}

/** Reads the search parameters of this page. Unknown ones, and those with a wrong form, are left out. */
export const validateLogSearch = (raw: Record<string, unknown>): LogSearch =>
  tidy({
    outcome: wordIn(raw, 'outcome', logOutcomes),
    code: formedIn(raw, 'code', /^[a-z_]{1,64}$/),
    platform: wordIn(raw, 'platform', platforms),
    campaignId: formedIn(raw, 'campaignId', id),
    subscriptionId: formedIn(raw, 'subscriptionId', id),
    userId: formedIn(raw, 'userId', id),
    from: momentIn(raw, 'from'),
    to: momentIn(raw, 'to'),
    live: flagIn(raw, 'live') || undefined,
  })

const id = /^[0-9a-f]{24}$/

function formedIn(raw: Record<string, unknown>, key: string, form: RegExp): string | undefined {
  const value = textIn(raw, key)
  return value !== undefined && form.test(value) ? value : undefined
}

function momentIn(raw: Record<string, unknown>, key: string): string | undefined {
  const at = typeof raw[key] === 'string' ? Date.parse(raw[key]) : Number.NaN
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
