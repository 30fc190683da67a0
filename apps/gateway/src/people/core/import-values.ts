import { importFields, type ImportField } from '@herald/contracts/import'

/*
 * Readers of the texts of a CSV file. `readTags` and `readCount` give a text that stands for no value as it is, and the rules of a registration then
 * refuse it.
 */

/** Reads tags or preferences, which are a JSON object. */
export function readTags(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** Reads the words for true and false that databases and spreadsheets write; undefined for any other text. */
export function readTruth(value: string): boolean | undefined {
  const word = value.trim().toLowerCase()
  if (['true', 't', 'yes', '1'].includes(word)) return true
  return ['false', 'f', 'no', '0'].includes(word) ? false : undefined
}

/**
 * Turns a time as databases write it into ISO 8601. A time without a zone, such as `2026-01-31 08:00:00` or `2026-01-31`, is UTC. A text that is no
 * time stays as it is.
 */
export function withZone(value: string): string {
  const [, date = '', time = '00:00:00', zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?(?: ?(Z|UTC|[+-]\d{2}(?::?\d{2})?))?$/.exec(value.trim()) ?? []
  if (date === '') return value
  const [sign = '', hours = '00', minutes = '00'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone)?.slice(1) ?? []
  return `${date}T${time}${sign === '' ? 'Z' : `${sign}${hours}:${minutes}`}`
}

export const readCount = (value: string): unknown => (/^\d{1,10}$/.test(value) ? Number(value) : value)

/** Finds the field that the path in a refusal is about. */
export function fieldAt(path: string): ImportField | undefined {
  const [first = '', second = ''] = path.split('.')
  const name = first === 'keys' ? second || 'p256dh' : first
  return importFields.find((field) => field === name)
}
