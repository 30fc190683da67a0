import { endpointProblem, type EndpointRule } from '@herald/contracts/destination'
import { Fault, fault, type FaultDetail } from '@herald/contracts/fault'
import {
  ImportedDevice,
  importFields,
  leftOut,
  skippedBrowser,
  type ImportError,
  type ImportField,
  type ImportFormat,
  type ImportReport,
} from '@herald/contracts/import'
import { isObject } from '@herald/contracts/merge-patch'
import { isTagName, TagValue } from '@herald/contracts/text'
import { parseBody } from '@herald/contracts/validate'
import type { FileRow, WrongRow } from './import-file.ts'
import { fieldAt, readCount, readTags, readTruth, withZone } from './import-values.ts'
import { oneSignalNames, readOneSignalRow } from './onesignal-row.ts'

/** What a row of the file says: a device to write, and what was left out of it; or why the row is refused. */
export type ReadRow = { device: ImportedDevice; warnings?: string[] } | { rejected: Omit<ImportError, 'row'> }

/** Which columns a CSV file has, and which field each of them holds. */
export type Columns = {
  width: number
  /** The index of each column in a row, by the column's name. */
  at: ReadonlyMap<string, number>
  /** For each field that the file holds, the name of its column. */
  nameOf: ReadonlyMap<ImportField, string>
}

const mostColumns = 1_000
const longestName = 255

/**
 * Finds the columns of a CSV file by its header. Fault `invalid_body` at the name of a column that the import needs and the file lacks, at
 * `columns.<field>` that names a missing column, or without a path (unusable header).
 */
export function readColumns(
  { format, columns, assumeOptedIn }: Pick<ImportReport, 'format' | 'columns' | 'assumeOptedIn'>,
  header: string[],
): Columns {
  if (header.some((name) => /[\v\f\u0085\u2028\u2029]/.test(name)))
    throw missing('', 'must end its lines with LF, CRLF or CR; its header holds another line end')
  if (header.length > mostColumns || header.some((name) => name.length > longestName))
    throw missing('', `must have at most ${mostColumns} columns, with names of at most ${longestName} characters`)
  const names = header.map((name) => name.trim())
  const at = new Map(names.map((name, place) => [name, place] as const).toReversed())
  if (format === 'onesignal_csv') {
    for (const name of ['identifier', 'device_type']) if (!at.has(name)) throw missing(name, 'is not a column of the file')
    if (!at.has('notification_types') && !assumeOptedIn)
      throw missing(
        'notification_types',
        'is not a column of the file, so nobody knows who has opted out; export it too, or say assumeOptedIn: true when all have opted in',
      )
    return { width: header.length, at, nameOf: oneSignalNames(at) }
  }
  const nameOf = new Map(importFields.map((field) => [field, columns?.[field] ?? field] as const).filter(([, name]) => at.has(name)))
  for (const [field, name] of Object.entries(columns ?? {}))
    if (!at.has(name)) throw missing(`columns.${field}`, 'is not a column of the file')
  if (!nameOf.has('platform')) throw missing('platform', 'is not a column of the file')
  if (!nameOf.has('token') && !nameOf.has('endpoint')) throw missing('token', 'is not a column of the file, and neither is endpoint')
  return { width: header.length, at, nameOf }
}

const missing = (path: string, message: string) => fault('invalid_body', `${path || 'The file'} ${message}`, [{ path, message }])

const wrongRows: Record<WrongRow, string> = {
  bad_quotes: 'has a quotation mark inside a field, or behind one, or one that is not closed; inside quotation marks it is written twice',
  invalid_utf8: 'is not UTF-8',
  row_too_large: 'is larger than 1 MiB, or has a quotation mark that is not closed',
}

type Settings = Pick<ImportReport, 'format' | 'web'>
type Candidate = { device: Record<string, unknown>; columnOf: (path: string) => string | null; warnings?: string[] }

/**
 * Reads a row and checks it by the rules of a registration. A wrong value that a device can do without is left out, with a warning
 * (spec: administration/import-left-out). `columns` is undefined for a file that is not CSV.
 */
export function readRow(row: FileRow, { format, web }: Settings, columns: Columns | undefined, endpointRule: EndpointRule): ReadRow {
  if ('wrong' in row) return rejected(null, row.wrong, wrongRows[row.wrong])
  const candidate = 'text' in row ? readJson(row.text) : readFields(row.fields, format, columns)
  if ('rejected' in candidate) return candidate
  const { device: given, columnOf } = candidate
  const { platform, token, endpoint } = given

  if (platform === 'web' && web === 'skip') return rejected(null, skippedBrowser, 'is a browser, and the import skips browsers')
  if (platform === 'ios' && typeof token === 'string' && token.includes(':'))
    return rejected(columnOf('token'), 'ios_fcm_token', 'is a registration token of Firebase, which APNs does not know')
  const warnings = new Set(candidate.warnings)
  const checked = withGoodTags(given)
  if (checked !== given) warnings.add(leftOut(columnOf('tags') ?? 'tags'))
  // Each round leaves out at least one of the fields that can be left out, which are few.
  for (let device = checked; ;) {
    const wrong = mistakesIn(device)
    if (Array.isArray(wrong)) {
      const grave = wrong.find(({ path }) => !isOptional(device, path))
      if (grave) return rejected(isSpare(grave.path) ? null : columnOf(grave.path), 'invalid_field', grave.message)
      for (const { path } of wrong) {
        device = without(device, path)
        warnings.add(leftOut(columnOf(path) ?? path.split('.', 1)[0] ?? ''))
      }
      continue
    }
    const problem = typeof endpoint === 'string' ? endpointProblem(endpoint, endpointRule) : undefined
    if (problem !== undefined) return rejected(columnOf('endpoint'), 'invalid_field', problem)
    return { device: wrong.device, ...(warnings.size === 0 ? {} : { warnings: [...warnings] }) }
  }
}

/** Checks a row's device by the rules of a registration. Gives the device, or its mistakes. */
function mistakesIn(device: Record<string, unknown>): { device: ImportedDevice } | FaultDetail[] {
  try {
    return { device: parseBody(ImportedDevice, device) }
  } catch (error) {
    if (!Fault.is(error)) throw error
    return error.details ?? [{ path: '', message: 'is not valid' }]
  }
}

/** The fields that an import never leaves out. `optedIn` is one of them, because whoever has opted out must not be opted in. */
const needed: ReadonlySet<ImportField> = new Set(['platform', 'token', 'endpoint', 'p256dh', 'auth', 'externalId', 'optedIn'])

/** Whether a path begins with a field that an import may leave out. */
function isSpare(path: string): boolean {
  const field = fieldAt(path)
  return field !== undefined && !needed.has(field)
}

/**
 * Whether a device has a value at a path, or above it, that can be left out. It has none at the path of an unknown field such as `language.code`, which
 * only looks like a place inside a field.
 */
const isOptional = (device: Record<string, unknown>, path: string): boolean =>
  isSpare(path) && Object.hasOwn(device, path.split('.', 1)[0] ?? '')

/** Leaves out the field at a path or above it. */
function without(device: Record<string, unknown>, path: string): Record<string, unknown> {
  const { [path.split('.', 1)[0] ?? '']: _, ...rest } = device
  return rest
}

/** Of more tags than these not each is looked at. A row of 1 MiB can have 100,000, and a user at most 100. */
const mostTagsRead = 1_000

/** Leaves out each tag with a wrong name or value, and all of them when there are too many. Gives the device itself when it has no wrong tag. */
function withGoodTags(device: Record<string, unknown>): Record<string, unknown> {
  const { tags, ...rest } = device
  if (!isObject(tags)) return device
  const given = Object.entries(tags)
  if (given.length > mostTagsRead) return rest
  const good = given.filter(([name, value]) => isTagName(name) && TagValue.safeParse(value).success)
  return good.length === given.length ? device : { ...rest, tags: Object.fromEntries(good) }
}

const rejected = (column: string | null, code: string, message: string): { rejected: Omit<ImportError, 'row'> } => ({
  rejected: { column, code, message },
})

function readFields(fields: string[], format: ImportFormat, columns: Columns | undefined): Candidate | ReturnType<typeof rejected> {
  if (!columns) throw new Error('the header of a CSV file is read before its rows')
  const { width, at, nameOf } = columns
  if (fields.length !== width) return rejected(null, 'wrong_column_count', `must have ${width} fields, as many as the header`)
  const read = (name: string): string => fields[at.get(name) ?? -1] ?? ''
  if (format !== 'onesignal_csv') return readCsvFields((field) => read(nameOf.get(field) ?? ''), nameOf)
  const row = readOneSignalRow(read)
  return 'wrong' in row ? rejected('device_type', 'unsupported_device_type', row.wrong) : row
}

function readCsvFields(read: (field: ImportField) => string, nameOf: ReadonlyMap<ImportField, string>): Candidate {
  const device: Record<string, unknown> = {}
  for (const field of importFields) {
    const value = read(field)
    if (value !== '' && field !== 'p256dh' && field !== 'auth') device[field] = valueOf(field, value)
  }
  const [p256dh, auth] = [read('p256dh'), read('auth')]
  if (p256dh !== '' || auth !== '') device['keys'] = { ...(p256dh === '' ? {} : { p256dh }), ...(auth === '' ? {} : { auth }) }
  return { device, columnOf: (path) => nameOf.get(fieldAt(path) ?? 'platform') ?? fieldAt(path) ?? null }
}

/**
 * Gives the value that a text in a CSV file stands for. A text that stands for no value of its field stays a text, and the rules of a registration
 * then refuse it.
 */
function valueOf(field: ImportField, value: string): unknown {
  if (field === 'tags' || field === 'preferences') return readTags(value)
  if (field === 'optedIn' || field === 'standalone') return readTruth(value) ?? value
  if (field === 'sessionCount') return readCount(value)
  return field === 'createdAt' || field === 'lastActiveAt' ? withZone(value) : value
}

function readJson(text: string): Candidate | ReturnType<typeof rejected> {
  let device: unknown
  try {
    device = JSON.parse(text)
  } catch {
    return rejected(null, 'invalid_json', 'must be a JSON object')
  }
  if (typeof device !== 'object' || device === null || Array.isArray(device)) return rejected(null, 'invalid_json', 'must be a JSON object')
  const given: Record<string, unknown> = { ...device }
  for (const field of ['createdAt', 'lastActiveAt']) {
    const value = given[field]
    if (typeof value === 'string') given[field] = withZone(value)
  }
  return { device: given, columnOf: (path) => fieldAt(path) ?? null }
}
