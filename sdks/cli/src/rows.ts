import { closeSync, openSync, readSync } from 'node:fs'

const [quote, comma, lineFeed, carriageReturn] = [0x22, 0x2c, 0x0a, 0x0d]
/** Herald accepts rows of at most this many bytes. */
const largestRow = 1024 ** 2
const readAtOnce = 4 * largestRow

/**
 * A row of a file: its text without the line end, and its number. The first row has the number 0; in a CSV file that is the header. Blank rows are
 * left out and have no number.
 */
export type Row = { number: number; text: string }

/**
 * Reads a file in the same rows as Herald. A line of CSV ends with LF, CRLF or CR, but not in a quoted field. An invalid row, or one over 1 MiB, ends
 * at its first line end.
 */
export function* readRows(file: string, isCsv: boolean): Generator<Row> {
  const descriptor = openSync(file, 'r')
  try {
    let bytes: Buffer = Buffer.alloc(0)
    let number = 0
    for (let isEnd = false; !isEnd;) {
      const part = Buffer.alloc(readAtOnce)
      const count = readSync(descriptor, part, 0, readAtOnce, null)
      isEnd = count === 0
      bytes = Buffer.concat([bytes, part.subarray(0, count)])
      let at = 0
      while (at < bytes.length) {
        const end = isCsv ? endOfRow(bytes, at, isEnd) : endOfLine(bytes, at, isEnd)
        if (end === undefined) break
        const text = bytes
          .toString('utf8', at, end)
          .replace(isCsv ? /(?:\r\n|\n|\r)$/ : /\r?\n$/, '')
          .replace(/^\uFEFF/, '')
        at = end
        if (isCsv ? text === '' || text === '""' : text.trim() === '') continue
        yield { number, text }
        number += 1
      }
      bytes = bytes.subarray(at)
    }
  } finally {
    closeSync(descriptor)
  }
}

/** Gives the first row of a file, such as the header of a CSV file; undefined when the file has no row. */
export function firstRow(file: string): Row | undefined {
  for (const row of readRows(file, true)) return row
  return undefined
}

/** Splits a row of CSV into its fields: a field in quotes may hold commas, line ends and doubled quotes. */
export const fieldsOf = (row: string): string[] =>
  [...`,${row}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain)

/** Gives the position behind the line that begins at `at`; undefined when the end of the line has not been read yet. */
function endOfLine(bytes: Buffer, at: number, isEnd: boolean): number | undefined {
  const found = bytes.indexOf(lineFeed, at)
  return found >= 0 ? found + 1 : isEnd ? bytes.length : undefined
}

const isLineEnd = (byte: number | undefined): boolean => byte === lineFeed || byte === carriageReturn

/** Gives the position behind the line of CSV that begins at `from`; undefined when its end, or an LF that may follow its CR, has not been read yet. */
function endOfCsvLine(bytes: Buffer, from: number, isEnd: boolean): number | undefined {
  let at = from
  while (at < bytes.length && !isLineEnd(bytes[at])) at += 1
  return at < bytes.length ? behindLineEnd(bytes, at, isEnd) : isEnd ? at : undefined
}

function behindLineEnd(bytes: Buffer, at: number, isEnd: boolean): number | undefined {
  if (bytes[at] === lineFeed) return at + 1
  if (at + 1 >= bytes.length) return isEnd ? at + 1 : undefined
  return bytes[at + 1] === lineFeed ? at + 2 : at + 1
}

function endOfRow(bytes: Buffer, from: number, isEnd: boolean): number | undefined {
  const lineEnd = endOfCsvLine(bytes, from, isEnd)
  if (lineEnd === undefined || !bytes.subarray(from, lineEnd).includes(quote)) return lineEnd
  const window = bytes.subarray(0, Math.min(bytes.length, from + largestRow))
  const isWhole = isEnd && window.length === bytes.length
  for (let at = from; ;) {
    const end = window[at] === quote ? endOfQuoted(window, at + 1) : endOfPlain(window, at)
    if (end === 'wrong') return lineEnd
    if (end === undefined || (end >= window.length && !isWhole)) return isWhole || window.length - from >= largestRow ? lineEnd : undefined
    at = end
    if (window[at] === comma) at += 1
    else if (at >= window.length) return window.length
    else return isLineEnd(window[at]) ? behindLineEnd(window, at, isWhole) : lineEnd
  }
}

/** Gives the position behind the closing quote; undefined when the closing quote has not been read yet. */
function endOfQuoted(bytes: Buffer, from: number): number | undefined {
  for (let at = from; ;) {
    const close = bytes.indexOf(quote, at)
    if (close < 0) return undefined
    if (bytes[close + 1] !== quote) return close + 1
    at = close + 2
  }
}

/** Gives the position of the comma or line end after a field without quotes; `'wrong'` when the field contains a quote. */
function endOfPlain(bytes: Buffer, from: number): number | 'wrong' {
  let at = from
  while (at < bytes.length && bytes[at] !== comma && !isLineEnd(bytes[at])) {
    if (bytes[at] === quote) return 'wrong'
    at += 1
  }
  return at
}
