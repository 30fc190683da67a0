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
  body: 'Body',
  url: 'Link',
  image: 'Image',
  actions: 'Buttons',
  ttl: 'Time to live',
  'bypass.frequencyCap': 'Ignore the frequency cap',
}

const ofText = /^(?:campaign\.|notification\.)?(?:experiment\.variants\.(\d+)\.)?content(?:\.([^.]+)(?:\.(.+))?)?$/

/** What comes before the field of a message in a path. */
const ofRequest = /^(campaign|notification)\./

/** Says in words what a path of the API stands for: `campaign.content.de.body` is "Body (German)". Another path is shown as it is. */
export function placeInWords(path: string): { words: string; locale: string | null } {
  const kind = providerKinds.find((one) => path === `providers.${one}`)
  if (kind !== undefined) return { words: providerNames[platformOf[kind]], locale: null }
  const text = ofText.exec(path)
  if (text) {
    const [, variant, locale, field] = text
    const about = [
      ...(locale === undefined ? [] : [nameOfLocale(locale)]),
      ...(variant === undefined ? [] : [`variant ${Number(variant) + 1}`]),
    ].join(', ')
    const words = field === undefined ? 'The message' : (fields[field.replace(/\.\d+.*$/, '')] ?? field)
    return { words: about === '' ? words : `${words} (${about})`, locale: locale ?? null }
  }
  const bare = path.replace(ofRequest, '')
  return { words: bare === '' ? 'The message' : (fields[bare] ?? bare), locale: null }
}

/** Gives the warnings of a dry run in words, those that say the same of several fields as one line (spec: dashboard/warnings-once). */
export function warningLines(warnings: readonly DryRunWarning[]): WarningLine[] {
  const alike = Map.groupBy(warnings, ({ code, message }) => `${code} ${message}`)
  return [...alike].map(([key, group]) => {
    const places = group.map(({ path }) => placeInWords(path))
    const devices = Math.max(0, ...group.map((warning) => warning.devices ?? 0))
    const counted = devices === 0 ? '' : ` (${countText(devices)} ${devices === 1 ? 'device' : 'devices'})`
    const words = [...new Set(places.map((place) => place.words))].join(', ')
    const [first] = group
    const path = first === undefined || first.path.startsWith('providers.') ? null : first.path.replace(ofRequest, '')
    return { key, text: `${words}: ${first?.message ?? ''}${counted}.`, locale: places[0]?.locale ?? null, path }
  })
}
