import { createHash } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { HeraldError, type Herald } from '@herald/node'
import { connect } from './connection.ts'
import { openImported, type ImportedFile } from './import-file.ts'
import { formatOf, linesOfMapping, namesIn, readColumns, type Format } from './import-mapping.ts'
import { writeRejected } from './import-rejected.ts'
import { printable } from './printable.ts'
import { firstRow } from './rows.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

export type ImportOptions = {
  app?: string
  from?: string
  column?: string[]
  update?: boolean
  'with-browsers'?: boolean
  'assume-opted-in'?: boolean
  'dry-run'?: boolean
  cancel?: boolean
  yes?: boolean
  json?: boolean
}
export type Report = {
  id: string
  state: string
  dryRun: boolean
  offset: number
  rows: number
  created: number
  updated: number
  kept: number
  rejected: number
  byCode: Record<string, number>
  optedOut?: number
  warnings: Record<string, number>
}
type Where = { terminal: Terminal; herald: Herald; path: string }
type Job = Where & ImportedFile & { size: number; format: Format; settings: object }

/** A request carries a part of the file of at most this many bytes. A row has at most 1 MiB, so each such part holds at least three whole rows. */
const partBytes = 4 * 1024 ** 2
const partLimits = { timeoutMs: 120_000, totalTimeoutMs: 300_000, retries: 5 }

/**
 * Imports a file: prints its columns' mapping, makes a dry run, then imports. After an interruption the same command goes on. Gives the exit code: 1
 * when rows other than skipped browsers were rejected, 2 when the operator declines.
 */
export async function importFile(terminal: Terminal, [given]: string[], options: ImportOptions): Promise<number> {
  const { herald, appPath } = connect(terminal, options.app)
  const path = `${await appPath()}/imports`
  if (options.cancel) return cancel(terminal, herald, path)
  if (given === undefined) throw new UsageError('Which file? herald import users.csv')
  const imported = await openImported(given, terminal.stop)
  try {
    return await importRows(readJob({ terminal, herald, path }, imported, options), options)
  } finally {
    imported.close()
  }
}

async function importRows(job: Job, options: ImportOptions): Promise<number> {
  const { terminal, herald, path } = job
  const memory = openMemory(terminal.env, job)
  const known = await memory.find()
  if (known?.dryRun) await herald.request('DELETE', `${path}/${known.id}`)
  const open = known?.dryRun ? undefined : known
  if (open) terminal.say(`Going on at ${open.offset.toLocaleString('en')} of ${job.size.toLocaleString('en')} bytes.`)
  else {
    const dry = await runOrEnd(job, await begin(job, true, memory), memory)
    for (const line of linesOf(dry)) terminal.say(line)
    if (options['dry-run'] && options.json) terminal.out(JSON.stringify(dry))
    if (options['dry-run']) return exitCodeOf(dry)
    if (!options.yes && !(terminal.isInteractive && /^y(es)?$/i.test(await terminal.ask('Import it? [y/N]')))) {
      terminal.say('Nothing is imported. Say --yes to import without being asked.')
      return 2
    }
  }
  const report = await runOrEnd(job, open ?? (await begin(job, false, memory)), memory)
  if (options.json) terminal.out(JSON.stringify(report))
  else for (const line of linesOf(report)) terminal.out(line)
  const files = await writeRejected(herald, `${path}/${report.id}`, job)
  for (const line of files) terminal.say(printable(line))
  return exitCodeOf(report)
}

/** Browsers are rejected unless `--with-browsers` asks for them. That is a warning and no failure, because an export has them always. */
const skippedBrowsers = ({ byCode }: Report): number => byCode['web_skipped'] ?? 0
const exitCodeOf = (report: Report): number => (report.rejected > skippedBrowsers(report) ? 1 : 0)

function readJob(where: Where, imported: ImportedFile, options: ImportOptions): Job {
  const { file, name, given } = imported
  const first = firstRow(file)
  if (!first) throw new UsageError(`${given} is empty.`)
  const format = formatOf(name, options, first.text)
  const columns = readColumns(options.column ?? [], format)
  if (format === 'onesignal_csv' && options.from === undefined) where.terminal.say('This is an export of OneSignal.')
  if (format !== 'jsonl') for (const line of linesOfMapping(first.text, format, columns)) where.terminal.say(printable(line))
  if (format === 'onesignal_csv' && !options['assume-opted-in'] && !namesIn(first.text).includes('notification_types'))
    throw new UsageError(
      `${given} lacks the column notification_types, which says who has opted out. Export it too, or say --assume-opted-in when all have opted in.`,
    )
  const settings = {
    format,
    onExisting: options.update ? 'update' : 'keep',
    web: options['with-browsers'] ? 'import' : 'skip',
    ...(columns ? { columns } : {}),
    ...(format === 'onesignal_csv' && options['assume-opted-in'] ? { assumeOptedIn: true } : {}),
  }
  return { ...where, ...imported, size: statSync(file).size, format, settings }
}

/** Keeps the import's id in a file, so that the same command finds the import again after a crash of this process or of Herald. */
function openMemory(env: Terminal['env'], { herald, path, given, size, settings }: Job) {
  const named = createHash('sha256')
    .update(JSON.stringify([path, given, size, statSync(given).mtimeMs, settings]))
    .digest('hex')
  const directory = join(env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local/state'), 'herald/imports')
  const note = join(directory, named)
  return {
    async find(): Promise<Report | undefined> {
      if (!existsSync(note)) return undefined
      const report = await herald.request<Report>('GET', `${path}/${readFileSync(note, 'utf8')}`).catch(noneThere)
      return report?.state === 'receiving' ? report : undefined
    },
    keep(id: string) {
      mkdirSync(dirname(note), { recursive: true, mode: 0o700 })
      writeFileSync(note, id, { mode: 0o600 })
    },
    forget: () => rmSync(note, { force: true }),
  }
}
type Memory = ReturnType<typeof openMemory>

const noneThere = (error: unknown): undefined => {
  if (!(error instanceof HeraldError && error.is('not_found'))) throw error
}

async function begin({ herald, path, settings }: Job, dryRun: boolean, memory: Memory): Promise<Report> {
  try {
    const report = await herald.request<Report>('POST', path, { body: { ...settings, dryRun } })
    memory.keep(report.id)
    return report
  } catch (error) {
    if (error instanceof HeraldError && error.is('invalid_state'))
      throw new UsageError('Another import of this app is open, and there is one at a time. `herald import --cancel` ends it where it is.')
    throw error
  }
}

/**
 * Sends the file and finishes the import. Cancels a failed dry run, and an import that Herald would refuse again, so that neither blocks the next.
 * One that lost its connection stays open, and the same command goes on.
 */
async function runOrEnd(job: Job, from: Report, memory: Memory): Promise<Report> {
  const { terminal, herald, path } = job
  try {
    return await run(job, from, memory)
  } catch (error) {
    if (from.dryRun || (error instanceof HeraldError && refusals.includes(error.status))) {
      // When Herald cannot be reached the note stays, and the next run of the command cancels the dry run.
      const isEnded = await herald.request('DELETE', `${path}/${from.id}`, { totalTimeoutMs: 10_000 }).then(
        () => true,
        () => false,
      )
      if (isEnded) memory.forget()
    } else terminal.say('The import stays open. The same command goes on where it was, and `herald import --cancel` ends it.')
    throw error
  }
}

/** The statuses with which Herald refuses a file for what it contains. */
const refusals = [400, 413, 415, 422]

/** Sends the part of the file that Herald has not read yet, and then finishes the import. */
async function run(job: Job, from: Report, memory: Memory): Promise<Report> {
  const { terminal, herald, path, file, size, format } = job
  const descriptor = openSync(file, 'r')
  try {
    let at = from
    for (let isEnd = at.offset >= size; !isEnd;) {
      if (terminal.stop.aborted) throw new Error('stopped')
      const part = Buffer.alloc(Math.min(partBytes, size - at.offset))
      const count = readSync(descriptor, part, 0, part.length, at.offset)
      const before = at.offset
      const sent = await sendPart(herald, `${path}/${at.id}`, part.subarray(0, count), at.offset, format)
      at = sent.report
      isEnd = sent.isWhole ? before + count >= size : at.offset >= size
      terminal.say(`${from.dryRun ? 'dry run' : 'import'}: ${at.rows.toLocaleString('en')} rows, ${Math.floor((at.offset / size) * 100)} %`)
      if (!isEnd && at.offset === before) throw new Error(`the import does not go on behind byte ${before}`)
    }
    const ended = await herald.request<Report>('POST', `${path}/${from.id}/finish`, {
      ...partLimits,
      repeatable: true,
      recover: async (error) => (error.is('invalid_state') ? { answer: await herald.request('GET', `${path}/${from.id}`) } : undefined),
    })
    memory.forget()
    return ended
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Sends a part of the file. When Herald expects another offset, because an earlier answer was lost, asks how far the import has come and gives
 * `isWhole: false`: that may be in the middle of the part.
 */
async function sendPart(
  herald: Herald,
  path: string,
  body: Uint8Array,
  offset: number,
  format: Format,
): Promise<{ report: Report; isWhole: boolean }> {
  const headers = { 'content-type': format === 'jsonl' ? 'application/x-ndjson' : 'text/csv' }
  try {
    return {
      report: await herald.request<Report>('PUT', `${path}/data`, { ...partLimits, query: { offset }, headers, body }),
      isWhole: true,
    }
  } catch (error) {
    const isElsewhere = error instanceof HeraldError && error.is('invalid_state') && error.at('offset') !== undefined
    if (!isElsewhere) throw error
    return { report: await herald.request<Report>('GET', path), isWhole: false }
  }
}

async function cancel(terminal: Terminal, herald: Herald, path: string): Promise<number> {
  const { items } = await herald.request<{ items: Report[] }>('GET', path, { query: { limit: 20 } })
  const open = items.find(({ state }) => state === 'receiving')
  if (!open) terminal.say('No import of this app is open.')
  else {
    await herald.request('DELETE', `${path}/${open.id}`)
    terminal.say(`Import ${open.id} is ended after ${open.rows} rows. What it wrote stays.`)
  }
  return 0
}

function linesOf(report: Report): string[] {
  const { dryRun, rows, created, updated, kept, rejected, byCode, optedOut = 0, warnings } = report
  const { web_skipped: skipped = 0, ...rejections } = byCode
  const counts = (all: Record<string, number>) => Object.entries(all).map(([code, count]) => `  ${count} ${printable(code)}`)
  return [
    `${dryRun ? 'would be' : 'imported'}: ${created} new, ${updated} updated, ${kept} kept as they are, ${rejected - skipped} rejected of ${rows} rows`,
    ...counts(rejections),
    ...(optedOut > 0 ? [`${optedOut} of the devices have opted out, and stay so`] : []),
    ...(skipped > 0
      ? [`warning: ${skipped} browsers are skipped; --with-browsers imports them (read docs/import.md of Herald first)`]
      : []),
    ...(Object.keys(warnings).length > 0 ? ['warnings, by rows; left_out: the device came without the value of this column'] : []),
    ...counts(warnings),
  ]
}
