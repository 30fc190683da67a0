import { z } from 'zod'
import { mostCategories } from './category.ts'
import { platforms } from './platform.ts'
import { checkIosToken, phoneFields, RegisterSubscription } from './subscription.ts'
import { CategoryId, line, Timestamp } from './text.ts'

/** The files that an import reads: OneSignal's export, any CSV with a header, or a file with a JSON object on each line. */
export const importFormats = ['onesignal_csv', 'csv', 'jsonl'] as const
export type ImportFormat = (typeof importFormats)[number]

export const largestImport = 4 * 1024 ** 3
/** At most this many rows are written in one transaction. */
export const rowsPerLot = 500
/** A row of more bytes than this is rejected. */
export const largestRow = 1024 ** 2
/** At most this many errors of an import are stored; further errors are only counted. */
export const mostImportErrors = 10_000
/** Gives the name of the warning that counts the rows of which Herald left out the value in this column (spec: administration/import-left-out). */
export const leftOut = (column: string): string => `left_out:${column}`
/** The code of a row with a browser when the import skips browsers. Such rows count as rejected, but are not in the list of errors. */
export const skippedBrowser = 'web_skipped'

/** The fields of a device and of its user that a CSV file may have as columns. */
export const importFields = [
  'platform',
  'token',
  'endpoint',
  'p256dh',
  'auth',
  'externalId',
  'tags',
  'language',
  'timezone',
  'country',
  'appVersion',
  'sdkVersion',
  'osVersion',
  'deviceModel',
  'browser',
  'standalone',
  'optedIn',
  'sessionCount',
  'createdAt',
  'lastActiveAt',
  'preferences',
] as const
export type ImportField = (typeof importFields)[number]

/** POST …/imports */
export const StartImport = z
  .strictObject({
    format: z.enum(importFormats),
    dryRun: z.boolean().default(false),
    onExisting: z.enum(['keep', 'update']).default('keep'),
    web: z.enum(['skip', 'import']).default('skip'),
    /** Whether the devices of a OneSignal export that lacks the column `notification_types` count as opted in. Without it such a file is refused. */
    assumeOptedIn: z.boolean().default(false),
    /** Which header of the CSV file stands for which field. A field that is not listed has its own name as header. */
    columns: z.partialRecord(z.enum(importFields), line(1, 255)).optional(),
    maxRowsPerSecond: z.int().min(100).max(20_000).optional(),
  })
  .refine(({ format, columns }) => columns === undefined || format === 'csv', {
    path: ['columns'],
    message: 'is taken with the format csv only',
  })
  .refine(({ format, assumeOptedIn }) => !assumeOptedIn || format === 'onesignal_csv', {
    path: ['assumeOptedIn'],
    message: 'is taken with the format onesignal_csv only',
  })
export type StartImport = z.output<typeof StartImport>

const history = {
  optedIn: z.boolean().optional(),
  sessionCount: z.int().min(0).max(1_000_000_000).optional(),
  createdAt: Timestamp.optional(),
  lastActiveAt: Timestamp.optional(),
  preferences: z
    .record(CategoryId, z.boolean())
    .refine((choices) => Object.keys(choices).length <= mostCategories, `must hold at most ${mostCategories} categories`)
    .optional(),
}
const [, browser] = RegisterSubscription.options

/**
 * A row of an import: the fields of a registration, checked as in a registration, and what the device did in the former system
 * (spec: administration/import-row).
 */
export const ImportedDevice = z.discriminatedUnion('platform', [
  z.strictObject({ ...phoneFields, ...history }).superRefine(checkIosToken),
  browser.extend(history),
])
export type ImportedDevice = z.output<typeof ImportedDevice>

const Count = z.int().min(0)
const Counts = z.record(z.string(), Count)

/**
 * Why a row was rejected, without any of the row's values. `column` has the file's name for the column; it is null when the row as a whole was
 * rejected.
 */
export const ImportError = z.object({ row: z.int().min(1), column: z.string().nullable(), code: z.string(), message: z.string() })
export type ImportError = z.output<typeof ImportError>

/**
 * The rows in a file's bytes from `offset` to `nextOffset`, numbered from 1 without header and blank lines. The first lot has `header` (column names)
 * and `headerEnd`, the offset after it. `columnOf`: the columns of fields that audience may refuse.
 */
export const ImportLot = z.object({
  offset: Count,
  nextOffset: Count,
  firstRow: z.int().min(1),
  rows: z.array(z.object({ row: z.int().min(1), device: ImportedDevice })).max(rowsPerLot),
  rejected: z.array(ImportError).max(rowsPerLot),
  warnings: Counts,
  columnOf: z.object({ externalId: z.string().nullable(), tags: z.string().nullable() }),
  header: z.array(z.string()).optional(),
  headerEnd: Count.optional(),
})
export type ImportLot = z.output<typeof ImportLot>

/** How far an import has come, as the administration shows it. `rows` equals created + updated + kept + rejected. */
export const ImportReport = z.object({
  id: z.string(),
  state: z.enum(['receiving', 'finished', 'cancelled']),
  format: z.enum(importFormats),
  dryRun: z.boolean(),
  onExisting: z.enum(['keep', 'update']),
  web: z.enum(['skip', 'import']),
  columns: z.record(z.string(), z.string()).nullable(),
  assumeOptedIn: z.boolean(),
  maxRowsPerSecond: z.int().nullable(),
  /** How many bytes of the file have been handled, from its beginning. The next upload begins at this offset. */
  offset: Count,
  rows: Count,
  bytes: Count,
  created: Count,
  updated: Count,
  kept: Count,
  rejected: Count,
  byCode: Counts,
  /** The rows that were not rejected, by platform. */
  byPlatform: z.object(
    Object.fromEntries(platforms.map((platform) => [platform, Count])) as Record<(typeof platforms)[number], typeof Count>,
  ),
  /** How many of the created and updated devices are opted out in the file. */
  optedOut: Count,
  /**
   * Counts of rows by what became of them: `left_out:<column>` when a value in this column was left out, `timezone_without_name` and `no_external_id`
   * of OneSignal's export.
   */
  warnings: Counts,
  /** How many rows were written per second, on average from the first written row to the last so far; null before any row was written. */
  rowsPerSecond: z.number().nullable(),
  createdAt: z.string(),
  endedAt: z.string().nullable(),
})
export type ImportReport = z.output<typeof ImportReport>
