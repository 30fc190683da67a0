/*
 * What the page finds out about a file to import before it sends the file: its format, and which column holds which field. The operator confirms
 * both. Herald then reads every row and decides.
 */

export const importFormats = [
  { value: 'onesignal_csv', label: 'OneSignal’s CSV export' },
  { value: 'csv', label: 'CSV with a header' },
  { value: 'jsonl', label: 'JSON, an object a line' },
] as const
export type ImportFormat = (typeof importFormats)[number]['value']

/** When a header has these columns, the file is an export of OneSignal. */
const ofOneSignal = ['identifier', 'device_type']

/** The page reads at most this many bytes of a file to find its header. */
export const headBytes = 65_536

/**
 * Gives the format of a file: JSON lines when the first line begins with `{` or the name ends in .jsonl or .ndjson, else an export of OneSignal or
 * another CSV.
 */
export function formatOf(name: string, head: string): ImportFormat {
  if (firstLine(head).trimStart().startsWith('{') || /\.(jsonl|ndjson)$/i.test(name)) return 'jsonl'
  const header = headerOf(head)
  return ofOneSignal.every((column) => header.includes(column)) ? 'onesignal_csv' : 'csv'
}

/** Says what is wrong with a file before it is sent; undefined when nothing is. */
export function problemOfFile(name: string, size: number, head: string): string | undefined {
  if (size === 0) return 'This file is empty.'
  if (size > 4 * 1024 ** 3) return 'This file is larger than 4 GiB, the most that one import takes. Split it at a row end.'
  if (/\.(gz|zip|xlsx?|7z)$/i.test(name) || head.startsWith('PK') || head.startsWith('\u001f'))
    return 'This file is compressed or a spreadsheet. Unpack it, or save it as CSV, and choose that file.'
  if (head.includes('\0')) return 'This file is no UTF-8 text. Save it as CSV in UTF-8.'
  return undefined
}

/** Reads the names of the columns from the header of a CSV (RFC 4180). */
export function headerOf(head: string): string[] {
  const line = firstLine(head.replace(/^\ufeff/, ''))
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(([, quoted, bare]) =>
    (quoted?.replaceAll('""', '"') ?? bare ?? '').trim(),
  )
}

const firstLine = (text: string): string => text.split(/\r\n|\n|\r/, 1)[0] ?? ''

/**
 * The column names by which `guessColumns` knows a field, beside the field's own name. They are in small letters and without spaces, `_` and `-`, as
 * `bare` writes the names of a file.
 */
const usual: Readonly<Record<string, readonly string[]>> = {
  platform: ['os', 'devicetype'],
  token: ['devicetoken', 'pushtoken', 'fcmtoken', 'apnstoken', 'registrationtoken', 'registrationid', 'identifier'],
  endpoint: ['url', 'pushendpoint'],
  p256dh: ['webp256', 'publickey'],
  auth: ['webauth', 'authsecret'],
  externalId: ['externaluserid', 'userid', 'customerid', 'customerno', 'customernumber'],
  tags: ['attributes', 'properties'],
  language: ['lang', 'locale'],
  timezone: ['timezoneid', 'tz'],
  country: ['countrycode'],
  appVersion: ['gameversion'],
  osVersion: ['deviceos'],
  deviceModel: ['model'],
  optedIn: ['subscribed', 'enabled'],
  createdAt: ['created'],
  lastActiveAt: ['lastactive', 'lastseen', 'updatedat'],
}

const bare = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '')

/** Guesses which column holds which field. A field for which no column is found is left out. */
export function guessColumns<Field extends string>(fields: readonly Field[], header: readonly string[]): Partial<Record<Field, string>> {
  const guessed: Partial<Record<Field, string>> = {}
  const free = new Set(header)
  for (const isMeant of [
    (field: string, column: string) => bare(column) === bare(field),
    (field: string, column: string) => (usual[field] ?? []).includes(bare(column)),
  ])
    for (const field of fields) {
      if (guessed[field] !== undefined) continue
      const column = [...free].find((one) => isMeant(field, one))
      if (column === undefined) continue
      guessed[field] = column
      free.delete(column)
    }
  return guessed
}
