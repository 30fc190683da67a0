import { largestRow } from '@herald/contracts/import'

/** A row of a file: its content, or why it cannot be read. `end` is the offset in the file just after the row and its line end. */
export type FileRow = { end: number } & ({ fields: string[] } | { text: string } | { wrong: WrongRow })
export type WrongRow = 'bad_quotes' | 'invalid_utf8' | 'row_too_large'

const [quote, comma, lineFeed, carriageReturn] = [0x22, 0x2c, 0x0a, 0x0d]
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

type Read = { end: number } & ({ fields: string[] } | { text: string } | { wrong: WrongRow })

/** Reads the rows of a file whose parts come one after another. */
export type FileRows = {
  /** Reads a part of the file and gives the rows that end in it. */
  push: (part: Buffer) => Generator<FileRow>
  /**
   * Stops reading for now. `rest` has the bytes of a row that is not complete. When that row is too large to hold, it is given as a wrong row
   * instead.
   */
  pause: () => { rows: FileRow[]; rest: Buffer }
  /** Ends the file and gives the rows that are left. */
  end: () => FileRow[]
}

/**
 * Reads rows as a file's parts arrive, from `offset`: CSV by RFC 4180, or one text a line. CSV lines end with LF, CRLF or CR (mautic#5408). Memory
 * holds the last part and at most 1 MiB.
 */
export function openRows(kind: 'csv' | 'lines', offset: number): FileRows {
  const read = kind === 'csv' ? readCsvRow : readLine
  const findLineEnd = kind === 'csv' ? lineEndIn : (lines: Buffer, from: number) => lines.indexOf(lineFeed, from)
  let bytes: Buffer = Buffer.alloc(0)
  let isAtStart = offset === 0
  /** Whether reading is inside a row that is too large. Its bytes up to its first line end are thrown away. */
  let isSkipping = false

  function* rowsOf(isEnd: boolean): Generator<FileRow> {
    if (isAtStart && bytes.length < byteOrderMark.length && !isEnd) return
    const from = isAtStart && bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0
    let at = from
    while (at < bytes.length) {
      if (isSkipping) {
        const lineEnd = findLineEnd(bytes, at)
        const end = lineEnd < 0 ? (isEnd ? bytes.length : undefined) : endOfLine(bytes, lineEnd, isEnd)
        at = end ?? (lineEnd < 0 ? bytes.length : lineEnd)
        if (end === undefined) break
        isSkipping = false
        yield { end: offset + at, wrong: 'row_too_large' }
        continue
      }
      // A row depends only on the bytes from its own offset on, so an import that goes on after any row finds the same rows.
      const view = bytes.subarray(at, at + largestRow)
      const row = read(view, isEnd && at + view.length === bytes.length)
      if (row) {
        at += row.end
        yield { ...row, end: offset + at }
      } else if (view.length < largestRow) break
      else isSkipping = true
    }
    // A byte order mark alone stays in `bytes` until the first row is complete.
    if (at === from) return
    isAtStart = false
    offset += at
    bytes = bytes.subarray(at)
  }

  return {
    *push(part) {
      bytes = bytes.length === 0 ? part : Buffer.concat([bytes, part])
      yield* rowsOf(false)
    },
    pause: () => (isSkipping ? { rows: [{ end: offset, wrong: 'row_too_large' }], rest: Buffer.alloc(0) } : { rows: [], rest: bytes }),
    end: () => [...rowsOf(true)],
  }
}

/** Reads the first row of some bytes; undefined when the row is not complete. `isEnd`: no bytes follow, so the last row is complete. */
export function readCsvRow(bytes: Buffer, isEnd: boolean): Read | undefined {
  const lineEnd = lineEndIn(bytes, 0)
  const end = lineEnd < 0 ? bytes.length : endOfLine(bytes, lineEnd, isEnd)
  if (end === undefined || (lineEnd < 0 && !isEnd)) return undefined
  const line = lineEnd < 0 ? bytes : bytes.subarray(0, lineEnd)
  // A broken row ends at its first line end, so a wrong quote costs one row and not the rest of the file.
  if (line.includes(quote)) return readQuotedRow(bytes, isEnd, { end, wrong: 'bad_quotes' })
  const text = readUtf8(line)
  return text === undefined ? { end, wrong: 'invalid_utf8' } : { end, fields: text.split(',') }
}

/** Reads the first line of some bytes as a text; undefined when the line is not complete. */
export function readLine(bytes: Buffer, isEnd: boolean): Read | undefined {
  const lineEnd = bytes.indexOf(lineFeed)
  if (lineEnd < 0 && !isEnd) return undefined
  const line = lineOf(bytes, lineEnd)
  const end = lineEnd < 0 ? bytes.length : lineEnd + 1
  const text = readUtf8(line)
  return text === undefined ? { end, wrong: 'invalid_utf8' } : { end, text }
}

/**
 * Reads bytes as a text; undefined when they are not UTF-8. Decoding replaces wrong bytes by U+FFFD, which a valid text may hold too, so such a text
 * is encoded again and compared.
 */
function readUtf8(bytes: Buffer): string | undefined {
  const text = bytes.toString()
  return !text.includes('\uFFFD') || Buffer.from(text).equals(bytes) ? text : undefined
}

/** Gives the bytes before a line end, without a carriage return at their end. */
function lineOf(bytes: Buffer, lineEnd: number): Buffer {
  const to = lineEnd < 0 ? bytes.length : lineEnd
  return bytes.subarray(0, to > 0 && bytes[to - 1] === carriageReturn ? to - 1 : to)
}

function readQuotedRow(bytes: Buffer, isEnd: boolean, bad: Read): Read | undefined {
  const fields: string[] = []
  let at = 0
  for (;;) {
    const field = bytes[at] === quote ? readQuotedField(bytes, at + 1, isEnd) : readPlainField(bytes, at)
    if (field === undefined) return isEnd ? bad : undefined
    if (field === 'bad') return bad
    fields.push(field.text)
    at = field.end
    if (bytes[at] === comma) {
      at += 1
      continue
    }
    if (at < bytes.length && !isLineEnd(bytes[at])) return bad
    const end = at < bytes.length ? endOfLine(bytes, at, isEnd) : isEnd ? at : undefined
    if (end === undefined) return undefined
    const isText = !fields.some((field) => field.includes('\uFFFD')) || readUtf8(bytes.subarray(0, end)) !== undefined
    return isText ? { end, fields } : { end, wrong: 'invalid_utf8' }
  }
}

const isLineEnd = (byte: number | undefined): boolean => byte === lineFeed || byte === carriageReturn

function lineEndIn(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) if (isLineEnd(bytes[at])) return at
  return -1
}

/** Gives the offset just after the line end at `at`. Undefined when it is a CR behind which an LF may still arrive. */
function endOfLine(bytes: Buffer, at: number, isEnd: boolean): number | undefined {
  if (bytes[at] === lineFeed) return at + 1
  if (at + 1 === bytes.length && !isEnd) return undefined
  return bytes[at + 1] === lineFeed ? at + 2 : at + 1
}

type Field = { text: string; end: number }

/** Reads a field without quotes. It ends at a comma, a line end or the end of the bytes; a quote inside it is wrong. */
function readPlainField(bytes: Buffer, from: number): Field | 'bad' {
  let end = from
  while (end < bytes.length && bytes[end] !== comma && !isLineEnd(bytes[end])) {
    if (bytes[end] === quote) return 'bad'
    end += 1
  }
  return { text: bytes.toString('utf8', from, end), end }
}

/**
 * Reads a quoted field; `from` is the offset just after its opening quote. Undefined when the closing quote, or the byte after it, has not arrived.
 */
function readQuotedField(bytes: Buffer, from: number, isEnd: boolean): Field | undefined {
  let text = ''
  let start = from
  for (;;) {
    const close = bytes.indexOf(quote, start)
    if (close < 0 || (close + 1 === bytes.length && !isEnd)) return undefined
    if (bytes[close + 1] !== quote) return { text: text + bytes.toString('utf8', start, close), end: close + 1 }
    text += bytes.toString('utf8', start, close + 1)
    start = close + 2
  }
}
