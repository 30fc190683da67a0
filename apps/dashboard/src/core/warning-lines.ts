import { platformOf, providerKinds } from '@herald/contracts/app'
import { nameOfLocale } from './locale-tabs.ts'
import { countText } from './number.ts'
import { providerNames } from './platform-names.ts'

export type DryRunWarning = { code: string; path: string; message: string; devices: number | null }

/**
 * A line for the operator. `locale`: the language whose text it is about, when it is about one. `path`: of its field in the message; null for a warning
 * about a provider.
 */
export type WarningLine = { key: string; text: string; locale: string | null; path: string | null }

const fields: Readonly<Record<string, string>> = {
  title: 'Title',
  body: 'Text',
  url: 'Link',
  image: 'Image',
  actions: 'Buttons',
  ttl: 'Time to live',
  name: 'Campaign name',
  segment: 'Audience',
  segmentId: 'Audience',
  category: 'Category',
  collapseId: 'Collapse id',
  sendRate: 'Messages per minute',
  'sendRate.perMinute': 'Messages per minute',
  'bypass.frequencyCap': 'Ignore the frequency cap',
  'schedule.at': 'Date',
  'schedule.date': 'Date',
  'schedule.localTime': 'Time',
  'schedule.timezone': 'Time zone',
  'schedule.startDate': 'First day',
  'schedule.until': 'Last day',
  'schedule.maxRuns': 'Number of sends',
  'schedule.except': 'Skip a day',
  data: 'Custom data',
  priority: 'Priority',
  inbox: 'Inbox',
  'presentation.sound': 'Sound',
  'presentation.channelId': 'Android channel',
  'presentation.icon': 'Icon',
  'presentation.threadId': 'iOS thread',
  'presentation.badge': 'Badge',
  'presentation.badgeIncrement': 'Add to the badge',
  'presentation.relevanceScore': 'Relevance',
  'bypass.quietHours': 'Ignore quiet hours',
  experiment: 'A/B test',
  'experiment.sampleRate': 'Test group',
  'experiment.auto': 'Winning variant',
  'experiment.auto.metric': 'Winning metric',
  'experiment.auto.conversion': 'Conversion event',
  'experiment.auto.afterMinutes': 'Maximum test duration',
  'experiment.auto.minMinutes': 'Minimum test duration',
  'experiment.auto.minUsers': 'Minimum users per variant',
  'experiment.auto.alpha': 'Significance level',
}

const ofText = /^(?:campaign\.|notification\.)?(?:experiment\.variants\.(\d+)\.)?content(?:\.([^.]+)(?:\.(.+))?)?$/

const ofVariant = /^experiment\.variants\.(\d+)\.(\w+)$/

/** What comes before the field of a message in a path. */
const ofRequest = /^(campaign|notification)\./

/** The letter that the composer gives a variant at first, by its place. */
const letter = (place: string): string => String.fromCharCode(65 + Number(place))

/** Says in words what a path of the API stands for: `campaign.content.de.body` is "Text (German)". Another path is shown as it is. */
export function placeInWords(path: string): { words: string; locale: string | null } {
  const kind = providerKinds.find((one) => path === `providers.${one}`)
  if (kind !== undefined) return { words: providerNames[platformOf[kind]], locale: null }
  const text = ofText.exec(path)
  if (text) {
    const [, variant, locale, field] = text
    const about = [
      ...(locale === undefined ? [] : [nameOfLocale(locale)]),
      ...(variant === undefined ? [] : [`variant ${letter(variant)}`]),
    ].join(', ')
    const words = field === undefined ? 'The message' : (fields[field.replace(/\.\d+.*$/, '')] ?? field)
    return { words: about === '' ? words : `${words} (${about})`, locale: locale ?? null }
  }
  const bare = path.replace(ofRequest, '')
  const [, variant, field] = ofVariant.exec(bare) ?? []
  if (variant !== undefined) return { words: `${field === 'weight' ? 'Weight' : 'Name'} (variant ${letter(variant)})`, locale: null }
  return { words: bare === '' ? 'The message' : (fields[bare] ?? bare), locale: null }
}

const saysDevices: ReadonlySet<string> = new Set(['missing_locale', 'web_never_seen', 'cap_skips_most'])

/** Gives the warnings of a dry run in words, those that say the same of several fields as one line (spec: dashboard/warnings-once). */
export function warningLines(warnings: readonly DryRunWarning[]): WarningLine[] {
  const alike = Map.groupBy(warnings, ({ code, message }) => `${code} ${message}`)
  return [...alike].map(([key, group]) => {
    const places = group.map(({ path }) => placeInWords(path))
    const devices = Math.max(0, ...group.map((warning) => warning.devices ?? 0))
    // These say the number themselves.
    const counted =
      devices === 0 || saysDevices.has(group[0]?.code ?? '') ? '' : ` (${countText(devices)} ${devices === 1 ? 'device' : 'devices'})`
    const words = [...new Set(places.map((place) => place.words))].join(', ')
    const [first] = group
    const path = first === undefined || first.path.startsWith('providers.') ? null : first.path.replace(ofRequest, '')
    return { key, text: `${words}: ${first?.message ?? ''}${counted}.`, locale: places[0]?.locale ?? null, path }
  })
}
