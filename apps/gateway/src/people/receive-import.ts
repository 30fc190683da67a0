import { setTimeout as sleep } from 'node:timers/promises'
import { importLot, keepImportTail, readImport } from '@herald/contracts/calls/audience'
import { fault, Fault } from '@herald/contracts/fault'
import { largestImport, type ImportLot, type ImportReport } from '@herald/contracts/import'
import { openRows, type FileRow } from './core/import-file.ts'
import { readColumns, readRow, type Columns } from './core/import-row.ts'
import type { Gateway } from '../gateway.ts'

type Named = { appId: string; importId: string }

/**
 * A lot is the rows of one call to audience: at most this many bytes of the file, or one larger row. A call may carry 3 MB, and JSON escapes may make
 * the bytes six times as many.
 */
const bytesPerLot = 400_000
/**
 * A lot has at most this many rows. They keep the gateway and audience busy for some milliseconds, so a registration waits no longer than that.
 */
const rowsAtOnce = 200
/** After a lot the import pauses for this share of the time that the lot took. So it uses two thirds of what one database connection can do. */
const restShare = 0.5
/** The gateway gathers this many rows at a stretch; then it works on other requests before it gathers more. */
const rowsPerTurn = 50
/** A lot is sent at most this many times while audience, its database or NATS is away. */
const tries = 6
const retryInMs = 250

/**
 * Receives a part of an import's file, from `offset`, and sends its rows to audience in lots. Gives the changed import. Faults: `not_found`,
 * `invalid_state` (ended, or at another offset, which it names), `unsupported_media_type`, `invalid_body` (the header), `body_too_large`.
 */
export async function receiveImport(
  gateway: Pick<Gateway, 'bus' | 'endpointRule'>,
  named: Named,
  { offset, mediaType, parts }: { offset: number; mediaType: string; parts: AsyncIterable<Buffer> },
): Promise<ImportReport> {
  const { report, header } = await gateway.bus.call(readImport, named)
  const isCsv = report.format !== 'jsonl'
  if ((mediaType === 'text/csv') !== isCsv)
    throw fault('unsupported_media_type', `The format ${report.format} is content-type ${isCsv ? 'text/csv' : 'application/x-ndjson'}.`)
  if (report.state !== 'receiving') throw fault('invalid_state', `The import is ${report.state}.`)
  if (report.offset !== offset)
    throw fault('invalid_state', `The import goes on at offset ${report.offset}.`, [
      { path: 'offset', message: `must be ${report.offset}` },
    ])

  const rows = openRows(isCsv ? 'csv' : 'lines', offset)
  const lots = openLots(gateway, named, report, header)
  // The transaction that writes a lot also moves the import's offset, so a client without an answer reads the import and goes on there.
  for await (const part of parts) for (const row of rows.push(part)) await lots.add(row)
  // The bytes after the last line end are stored: they are the last row if the file ends there.
  const { rows: last, rest } = rows.pause()
  for (const row of last) await lots.add(row)
  const written = await lots.end()
  if (rest.length === 0) return written
  return gateway.bus.call(keepImportTail, { ...named, offset: written.offset, tail: rest.toString('base64') })
}

/**
 * Ends the file of an import: the bytes after its last line end are its last row. Gives the changed import. Faults: `not_found`, `invalid_state`,
 * `invalid_body` (the header), `body_too_large`.
 */
export async function endImportFile(gateway: Pick<Gateway, 'bus' | 'endpointRule'>, named: Named): Promise<ImportReport> {
  const { report, header, tail } = await gateway.bus.call(readImport, named)
  if (report.state !== 'receiving' || tail === null) return report
  const rows = openRows(report.format === 'jsonl' ? 'lines' : 'csv', report.offset)
  const lots = openLots(gateway, named, report, header)
  for (const row of rows.push(Buffer.from(tail, 'base64'))) await lots.add(row)
  for (const row of rows.end()) await lots.add(row)
  return lots.end()
}

/** Gathers rows into lots and sends the lots one after another: while one lot is under way, the next is gathered. */
function openLots(
  { bus, endpointRule }: Pick<Gateway, 'bus' | 'endpointRule'>,
  named: Named,
  begun: ImportReport,
  knownHeader: string[] | null,
) {
  const isCsv = begun.format !== 'jsonl'
  let columns: Columns | undefined = isCsv && knownHeader ? readColumns(begun, knownHeader) : undefined
  let lot = emptyLot(begun.offset, begun.rows + 1, columns)
  let underWay = Promise.resolve(begun)
  let restUntil = 0
  const startedAt = performance.now()
  const { maxRowsPerSecond } = begun

  const send = async () => {
    await underWay
    await wait(restUntil - performance.now())
    if (lot.nextOffset > largestImport) throw fault('body_too_large', `An import is at most ${largestImport / 1024 ** 3} GiB.`)
    const sent = lot
    const next = sent.firstRow + sent.rows.length + sent.rejected.length
    lot = emptyLot(sent.nextOffset, next, columns)
    const sentAt = performance.now()
    underWay = sendLot(bus, named, sent).finally(() => {
      restUntil = performance.now() + (performance.now() - sentAt) * restShare
    })
    // The error of this lot is thrown where `underWay` is awaited: in the next `send` or in `end`.
    underWay.catch(() => undefined)
    if (maxRowsPerSecond !== null) await wait(startedAt + ((next - begun.rows - 1) * 1000) / maxRowsPerSecond - performance.now())
  }

  return {
    async add(row: FileRow): Promise<void> {
      if (row.end - lot.offset > bytesPerLot && lot.nextOffset > lot.offset) await send()
      lot.nextOffset = row.end
      if (isBlank(row)) return
      if (isCsv && columns === undefined) {
        if (!('fields' in row))
          throw fault('invalid_body', 'The header of the file is not CSV in UTF-8.', [{ path: '', message: 'must begin with a header' }])
        columns = readColumns(begun, row.fields)
        Object.assign(lot, { header: row.fields, headerEnd: row.end, columnOf: columnsOf(columns) })
        return
      }
      const number = lot.firstRow + lot.rows.length + lot.rejected.length
      const read = readRow(row, begun, columns, endpointRule)
      if ('rejected' in read) lot.rejected.push({ row: number, ...read.rejected })
      else lot.rows.push({ row: number, device: read.device })
      if ('warnings' in read) for (const warning of read.warnings ?? []) lot.warnings[warning] = (lot.warnings[warning] ?? 0) + 1
      const gathered = lot.rows.length + lot.rejected.length
      if (gathered === rowsAtOnce) await send()
      else if (gathered % rowsPerTurn === 0) await nextTurn()
    },
    async end(): Promise<ImportReport> {
      if (lot.nextOffset > lot.offset) await send()
      return underWay
    },
  }
}

const emptyLot = (offset: number, firstRow: number, columns: Columns | undefined): ImportLot => ({
  offset,
  nextOffset: offset,
  firstRow,
  rows: [],
  rejected: [],
  warnings: {},
  columnOf: columnsOf(columns),
})

const isBlank = (row: FileRow): boolean =>
  ('fields' in row && row.fields.length === 1 && row.fields[0] === '') || ('text' in row && row.text.trim() === '')

/** Gives the columns of the fields that audience may refuse. */
const columnsOf = (columns: Columns | undefined): ImportLot['columnOf'] => ({
  externalId: columns === undefined ? 'externalId' : (columns.nameOf.get('externalId') ?? null),
  tags: columns === undefined ? 'tags' : (columns.nameOf.get('tags') ?? null),
})

/**
 * Sends a lot, and again when audience, NATS or the database is away for a moment. When an answer was lost and the import's offset is the end of the
 * lot, the lot was written.
 */
async function sendLot(bus: Gateway['bus'], named: Named, lot: ImportLot): Promise<ImportReport> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await bus.call(importLot, { ...named, lot })
    } catch (error) {
      const isAway = Fault.is(error) && error.status === 503
      // An earlier attempt may have been slow, so that its lot was written after this attempt was sent. The import is then no longer at this lot's
      // offset.
      const isElsewhere = Fault.is(error, 'invalid_state') && attempt > 1
      if ((!isAway && !isElsewhere) || attempt === tries) throw error
      await wait(retryInMs * attempt)
      const at = await bus.call(readImport, named).catch(() => undefined)
      if (at?.report.offset === lot.nextOffset) return at.report
      if (isElsewhere) throw error
    }
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const wait = (ms: number): Promise<void> => (ms <= 0 ? Promise.resolve() : sleep(ms))
