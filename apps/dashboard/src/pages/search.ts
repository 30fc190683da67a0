import { providerKinds, type ProviderKind } from '@herald/contracts/app'
import { platforms, type Platform } from '@herald/contracts/platform'
import { flagIn, textIn, tidy, wordIn } from '../core/search.ts'

// The search parameters of each address, and their readers, which leave out unknown and wrong ones. The router needs them at the start, so this file
// is in the first load and must import nothing of a page.

type Raw = Record<string, unknown>

/** A list of apps, segments or templates: only those whose name begins with `q` are shown. */
export const readNameSearch = (raw: Raw): { q?: string | undefined } => tidy({ q: textIn(raw, 'q') })

/** The kinds of first device: this browser, a virtual phone, or a device of the operator's own mobile app or site. */
const ways = ['browser', 'phone', 'app'] as const
export type Way = (typeof ways)[number]

/** The first steps: the chosen kind of first device, and the device itself. */
export const readStartSearch = (raw: Raw): { way?: Way | undefined; deviceId?: string | undefined } =>
  tidy({ way: wordIn(raw, 'way', ways), deviceId: textIn(raw, 'deviceId') })

export type ComposeSearch = {
  step?: 'review' | undefined
  /** What a new message begins with. */
  segmentId?: string | undefined
  templateId?: string | undefined
  externalId?: string | undefined
  /**
   * What is on screen: the language, the experiment's variant, and the user for whom the text is filled in. Without `person` that is a made-up user;
   * `nobody` is a user without any value.
   */
  locale?: string | undefined
  variant?: string | undefined
  person?: string | undefined
  /** The field to which a warning of the review leads, as its path in the API. */
  edit?: string | undefined
}
export const readComposeSearch = (raw: Raw): ComposeSearch =>
  tidy({
    step: wordIn(raw, 'step', ['review']),
    segmentId: textIn(raw, 'segmentId'),
    templateId: textIn(raw, 'templateId'),
    externalId: textIn(raw, 'externalId'),
    locale: textIn(raw, 'locale'),
    variant: textIn(raw, 'variant'),
    person: textIn(raw, 'person'),
    edit: textIn(raw, 'edit'),
  })

/** A template: the language on screen, and the user for whom the text is filled in, as `ComposeSearch` has them. */
export const readTemplateSearch = (raw: Raw): Pick<ComposeSearch, 'locale' | 'person'> =>
  tidy({ locale: textIn(raw, 'locale'), person: textIn(raw, 'person') })

export const campaignStatuses = ['draft', 'scheduled', 'sending', 'active', 'paused', 'sent', 'cancelled', 'failed'] as const

export const audienceKinds = ['everyone', 'segment', 'remainder', 'reached', 'people'] as const

export const campaignSorts = ['sent', 'failed', 'opened', 'clicked'] as const

/** The list of campaigns: its filters, and the cursor of the page that is shown. */
export type CampaignsSearch = {
  status?: (typeof campaignStatuses)[number] | undefined
  transactional?: boolean | undefined
  test?: boolean | undefined
  q?: string | undefined
  /** Only campaigns that this operator made. */
  author?: string | undefined
  audience?: (typeof audienceKinds)[number] | undefined
  /** Only campaigns that have queued a push for this platform. */
  platform?: Platform | undefined
  cursor?: string | undefined
  /** Only campaigns made on one of the last days, today among them. */
  days?: 7 | 30 | undefined
  /** What the campaigns of the page are put in order by; without it the newest comes first. */
  sort?: (typeof campaignSorts)[number] | undefined
  /** The calendar in place of the list, and its month, such as 2026-12; without one the present month. */
  view?: 'calendar' | undefined
  month?: string | undefined
}
export const readCampaignsSearch = (raw: Raw): CampaignsSearch =>
  tidy({
    status: wordIn(raw, 'status', campaignStatuses),
    transactional: flagIn(raw, 'transactional') || undefined,
    test: flagIn(raw, 'test') || undefined,
    q: textIn(raw, 'q')?.slice(0, 200),
    author: textIn(raw, 'author')?.slice(0, 128),
    audience: wordIn(raw, 'audience', audienceKinds),
    platform: wordIn(raw, 'platform', platforms),
    cursor: textIn(raw, 'cursor')?.slice(0, 200),
    days: raw['days'] === 7 || raw['days'] === 30 ? raw['days'] : undefined,
    sort: wordIn(raw, 'sort', campaignSorts),
    view: wordIn(raw, 'view', ['calendar']),
    month: formedIn(raw, 'month', /^\d{4}-(0[1-9]|1[0-2])$/),
  })

const conversionName = /^[a-z][a-z0-9_.]{0,63}$/

/** A campaign: by what the variants of its experiment are compared, and the conversion that its page looks at. */
export type CampaignSearch = { metric?: 'open' | 'click' | 'conversion' | undefined; conversion?: string | undefined }
export const readCampaignSearch = (raw: Raw): CampaignSearch =>
  tidy({ metric: wordIn(raw, 'metric', ['open', 'click', 'conversion'] as const), conversion: formedIn(raw, 'conversion', conversionName) })

/** The impact: the conversion that is looked at, and the first day, in the browser's zone. */
export const readImpactSearch = (raw: Raw): { conversion?: string | undefined; from?: string | undefined } =>
  tidy({ conversion: formedIn(raw, 'conversion', conversionName), from: formedIn(raw, 'from', /^\d{4}-\d{2}-\d{2}$/) })

export type PeopleSearch = {
  tab?: 'imports' | undefined
  q?: string | undefined
  segmentId?: string | undefined
  /** Only users with this tag, and with this value of it. */
  tag?: string | undefined
  tagValue?: string | undefined
  cursor?: string | undefined
  import?: string | undefined
}
/** The users and the imports: `cursor` is the page of the list of users, `import` the import that is shown. */
export const readPeopleSearch = (raw: Raw): PeopleSearch =>
  tidy({
    tab: wordIn(raw, 'tab', ['imports'] as const),
    q: textIn(raw, 'q'),
    segmentId: formedIn(raw, 'segmentId', id),
    tag: textIn(raw, 'tag'),
    tagValue: textIn(raw, 'tagValue'),
    cursor: textIn(raw, 'cursor'),
    import: textIn(raw, 'import'),
  })

/** A user: `device` is the device whose pushes are listed. Without it the newest pushes to all devices of the user are listed. */
export const readPersonSearch = (raw: Raw): { device?: string | undefined } => tidy({ device: textIn(raw, 'device') })

export const logReports = ['delivered', 'opened', 'clicked', 'dismissed'] as const
export const logOutcomes = ['open', 'sent', 'failed', 'skipped'] as const

/** The log: its filters, and whether the live tail is shown. */
export type LogSearch = {
  outcome?: (typeof logOutcomes)[number] | undefined
  code?: string | undefined
  platform?: Platform | undefined
  campaignId?: string | undefined
  subscriptionId?: string | undefined
  userId?: string | undefined
  /** What the device has reported. */
  reported?: (typeof logReports)[number] | undefined
  /** Times in ISO 8601, in UTC. */
  from?: string | undefined
  to?: string | undefined
  live?: boolean | undefined
}
export const readLogSearch = (raw: Raw): LogSearch =>
  tidy({
    outcome: wordIn(raw, 'outcome', logOutcomes),
    code: formedIn(raw, 'code', /^[a-z_]{1,64}$/),
    platform: wordIn(raw, 'platform', platforms),
    campaignId: formedIn(raw, 'campaignId', id),
    subscriptionId: formedIn(raw, 'subscriptionId', id),
    userId: formedIn(raw, 'userId', id),
    reported: wordIn(raw, 'reported', logReports),
    from: instantIn(raw, 'from'),
    to: instantIn(raw, 'to'),
    live: flagIn(raw, 'live') || undefined,
  })

const id = /^[0-9a-f]{24}$/

function formedIn(raw: Raw, key: string, form: RegExp): string | undefined {
  const value = textIn(raw, key)
  return value !== undefined && form.test(value) ? value : undefined
}

function instantIn(raw: Raw, key: string): string | undefined {
  const at = typeof raw[key] === 'string' ? Date.parse(raw[key]) : Number.NaN
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

/** Explain: the campaign, and the device or the user that the question is about. `device` says which device of the user is shown. */
export type ExplainSearch = {
  campaignId?: string | undefined
  subscriptionId?: string | undefined
  userId?: string | undefined
  externalId?: string | undefined
  device?: string | undefined
}
export const readExplainSearch = (raw: Raw): ExplainSearch =>
  tidy({
    campaignId: textIn(raw, 'campaignId'),
    subscriptionId: textIn(raw, 'subscriptionId'),
    userId: textIn(raw, 'userId'),
    externalId: textIn(raw, 'externalId'),
    device: textIn(raw, 'device'),
  })

/** The providers: `set` is the provider whose credentials are being set. */
export const readProvidersSearch = (raw: Raw): { set?: ProviderKind | undefined } => tidy({ set: wordIn(raw, 'set', providerKinds) })

/** The webhooks: `tab` is `events` while the events are shown as they happen, and absent while the endpoints are shown. */
export const readWebhooksSearch = (raw: Raw): { tab?: 'events' | undefined } => tidy({ tab: wordIn(raw, 'tab', ['events'] as const) })

const deliveryStates = ['pending', 'delivered', 'failed', 'erased'] as const

/** An endpoint: `state` filters its deliveries, and `deliveryId` is the delivery that is open. */
export const readWebhookSearch = (raw: Raw): { state?: (typeof deliveryStates)[number] | undefined; deliveryId?: string | undefined } =>
  tidy({ state: wordIn(raw, 'state', deliveryStates), deliveryId: textIn(raw, 'deliveryId') })

/** The audit: its filters, under the names that the API has for them. Times are ISO 8601. */
export type AuditSearch = { action?: string; actor?: string; subjectId?: string; from?: string; to?: string }
export const readAuditSearch = (raw: Raw): AuditSearch =>
  tidy({
    action: textIn(raw, 'action'),
    actor: textIn(raw, 'actor'),
    subjectId: textIn(raw, 'subjectId'),
    from: textIn(raw, 'from'),
    to: textIn(raw, 'to'),
  }) as AuditSearch

/** The inbox: only virtual devices of this `platform` are shown. */
export const readInboxSearch = (raw: Raw): { platform?: Platform | undefined } => tidy({ platform: wordIn(raw, 'platform', platforms) })
