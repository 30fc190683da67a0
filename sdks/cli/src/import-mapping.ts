import { fieldsOf } from './rows.ts'
import { UsageError } from './usage-error.ts'

export const formats = ['onesignal_csv', 'csv', 'jsonl'] as const
export type Format = (typeof formats)[number]

const fields =
  'platform token endpoint p256dh auth externalId tags language timezone country appVersion sdkVersion osVersion deviceModel browser standalone optedIn sessionCount createdAt lastActiveAt'.split(
    ' ',
  )
const oneSignal = new Map(
  Object.entries({
    identifier: 'token, or endpoint of a browser',
    device_type: 'platform',
    external_user_id: 'externalId',
    external_id: 'externalId',
    tags: 'tags',
    language: 'language',
    country: 'country',
    timezone_id: 'timezone',
    game_version: 'appVersion',
    device_os: 'osVersion',
    device_model: 'deviceModel',
    session_count: 'sessionCount',
    created_at: 'createdAt',
    last_active: 'lastActiveAt',
    web_auth: 'auth',
    web_p256: 'p256dh',
    invalid_identifier: 'optedIn',
    notification_types: 'optedIn',
  }),
)

/**
 * Gives the format of a file: what `--from` says, else what its first row and the ending of its name say. `--column` is for CSV files that are not
 * OneSignal's. Throws a UsageError when the format is not clear.
 */
export function formatOf(name: string, { from, column = [] }: { from?: string; column?: string[] }, first: string): Format {
  const said = from === 'onesignal' ? 'onesignal_csv' : from
  const format =
    said ??
    (/\.(jsonl|ndjson)$/i.test(name)
      ? 'jsonl'
      : column.length === 0 && isOneSignal(first)
        ? 'onesignal_csv'
        : /\.csv$/i.test(name)
          ? 'csv'
          : undefined)
  const known = formats.find((each) => each === format)
  if (!known) throw new UsageError('What is the file? Say --from onesignal, --from csv or --from jsonl.')
  return known
}

/** Reads options such as `--column externalId=customer_no` into the object that the API takes: each field with the name of its column. */
export function readColumns(pairs: readonly string[], format: Format): Record<string, string> | undefined {
  if (pairs.length === 0) return undefined
  if (format !== 'csv') throw new UsageError('--column is for --from csv.')
  return Object.fromEntries(
    pairs.map((pair) => {
      const [field = '', column] = pair.split(/=(.*)/s, 2)
      if (!fields.includes(field) || column === undefined || column === '')
        throw new UsageError(`--column is a field and a column, such as externalId=customer_no. Fields: ${fields.join(', ')}`)
      return [field, column]
    }),
  )
}

/**
 * Whether a header is that of OneSignal's export of subscriptions. These two columns are in each such file, and Herald's own columns have other names
 * (https://documentation.onesignal.com/reference/csv-export).
 */
function isOneSignal(header: string): boolean {
  const names = namesIn(header)
  return names.includes('identifier') && names.includes('device_type')
}

export const namesIn = (header: string): string[] => fieldsOf(header).map((name) => name.trim())

/** At most this many characters of a column's name are printed. */
const longestName = 80

/** Gives a line for each column of the file, which says as which field the column is imported. */
export function linesOfMapping(header: string, format: Format, columns: Record<string, string> | undefined): string[] {
  const names = namesIn(header)
  const width = Math.min(40, Math.max(...names.map((name) => name.length)))
  return names.map((name) => {
    const mapped = Object.entries(columns ?? {}).find(([, column]) => column === name)?.[0]
    const field =
      mapped ??
      (format === 'onesignal_csv' ? oneSignal.get(name) : fields.includes(name) && columns?.[name] === undefined ? name : undefined)
    return `  ${name.slice(0, longestName).padEnd(width)}  ${field === undefined ? '(not read)' : `→ ${field}`}`
  })
}
