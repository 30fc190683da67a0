import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { openRows, type FileRow } from './import-file.ts'

/** Reads a file from an offset on, in parts that have these sizes in turn. */
function readAll(
  file: Buffer,
  { kind = 'csv', sizes = [file.length], from = 0 }: { kind?: 'csv' | 'lines'; sizes?: number[]; from?: number } = {},
): FileRow[] {
  const rows = openRows(kind, from)
  const read: FileRow[] = []
  for (let at = from, part = 0; at < file.length; part += 1) {
    const size = Math.max(1, sizes[part % sizes.length] ?? 1)
    read.push(...rows.push(file.subarray(at, at + size)))
    at += size
  }
  return [...read, ...rows.end()]
}
const fieldsOf = (rows: FileRow[]) => rows.map((row) => ('fields' in row ? row.fields : row))
const wrongOf = (rows: FileRow[]) => rows.map((row) => ('wrong' in row ? row.wrong : 'row'))

/** Gives random numbers below a bound; the same seed gives the same numbers. */
function openRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}
const pieces = ['a', '\uFFFD', 'ü', '日本', '😀', '"', ',', '\n', '\r\n', '\r', ' ', '\u0000', "'", 'x y', '{"a":"b"}']

/** Makes a CSV file of random fields, and its rows. Fields are quoted where they must be, and sometimes where they need not. */
function randomFile(seed: number): { file: Buffer; rows: string[][] } {
  const random = openRandom(seed)
  const lineEnd = ['\n', '\r\n', '\r'][random(3)] ?? '\n'
  const rows = Array.from({ length: 1 + random(12) }, () =>
    Array.from({ length: 2 + random(3) }, () => Array.from({ length: random(5) }, () => pieces[random(pieces.length)] ?? '').join('')),
  )
  const quoted = (field: string) => (/[",\r\n]/.test(field) || random(4) === 0 ? `"${field.replaceAll('"', '""')}"` : field)
  const text = rows.map((row) => row.map(quoted).join(',')).join(lineEnd) + (random(2) === 0 ? lineEnd : '')
  return { file: Buffer.from((random(3) === 0 ? '\uFEFF' : '') + text), rows }
}

describe('the CSV file of an import', () => {
  // spec: administration/import-row
  test('an imported CSV may have quotes, line ends and commas in quotation marks, CRLF, a byte order mark, any script', () => {
    const file = Buffer.from('\uFEFFname,note\r\n"O""Neil, Ann","two\r\nlines"\r\n日本,😀\r\n,""\r\n')

    const rows = readAll(file)

    expect(fieldsOf(rows)).toEqual([
      ['name', 'note'],
      ['O"Neil, Ann', 'two\r\nlines'],
      ['日本', '😀'],
      ['', ''],
    ])
    // Offsets count bytes of the file, with its byte order mark and its line ends.
    expect(rows.map(({ end }) => end)).toEqual([
      Buffer.byteLength('\uFEFFname,note\r\n'),
      Buffer.byteLength('\uFEFFname,note\r\n"O""Neil, Ann","two\r\nlines"\r\n'),
      Buffer.byteLength('\uFEFFname,note\r\n"O""Neil, Ann","two\r\nlines"\r\n日本,😀\r\n'),
      file.length,
    ])
  })

  // spec: administration/import-row
  test.each(['\n', '\r\n', '\r'])('the lines of an imported CSV may end with %j, also when a part ends within it', (lineEnd) => {
    const file = Buffer.from(['a,b', '1,"x"', '"2\r",y', '', '3,z'].join(lineEnd) + lineEnd)
    const rows = readAll(file)

    expect(fieldsOf(rows)).toEqual([['a', 'b'], ['1', 'x'], ['2\r', 'y'], [''], ['3', 'z']])
    for (let size = 1; size < file.length; size += 1) expect([size, readAll(file, { sizes: [size] })]).toEqual([size, rows])
  })

  // spec: administration/import-row
  test('the lines of one imported CSV file may end in different ways', () => {
    expect(fieldsOf(readAll(Buffer.from('a,b\r1,"x"\n2,y\r\n"3",z\r4,"w"')))).toEqual([
      ['a', 'b'],
      ['1', 'x'],
      ['2', 'y'],
      ['3', 'z'],
      ['4', 'w'],
    ])
  })

  test('an imported CSV file is read as the package csv-parse reads it, whatever its fields contain', () => {
    for (let seed = 1; seed <= 2_000; seed += 1) {
      const { file, rows } = randomFile(seed)
      const theirs = parse(file, { bom: true, relax_column_count: true, record_delimiter: ['\r\n', '\n', '\r'] })
      expect([seed, fieldsOf(readAll(file))]).toEqual([seed, theirs])
      expect([seed, theirs]).toEqual([seed, rows])
    }
  })

  // spec: administration/import-exactly-once
  test('an imported CSV has the same rows however it is split, and when reading begins after any row', () => {
    for (let seed = 1; seed <= 400; seed += 1) {
      const { file } = randomFile(seed)
      const random = openRandom(seed + 10_000)
      // Some files get random bytes, so that they are not valid CSV.
      const broken = Buffer.from(file)
      for (let n = random(4); n > 0 && broken.length > 0; n -= 1)
        broken[random(broken.length)] = [0x22, 0x2c, 0x0a, 0x0d, 0xff][random(5)] ?? 0
      const whole = readAll(broken)
      const sizes = Array.from({ length: 5 }, () => 1 + random(7))

      expect([seed, readAll(broken, { sizes })]).toEqual([seed, whole])
      whole.forEach(({ end }, place) => expect([seed, readAll(broken, { from: end })]).toEqual([seed, whole.slice(place + 1)]))
    }
  })

  // spec: administration/import-rejected
  test('an imported CSV file loses only one row for each wrong quote, even a quote that is never closed', () => {
    const lines = ['a,b', 'x"y,1', '"x"y,2', '"open,3', 'good,4', 'good,5']

    const rows = readAll(Buffer.from(`${lines.join('\n')}\n`))

    expect(wrongOf(rows)).toEqual(['row', 'bad_quotes', 'bad_quotes', 'bad_quotes', 'row', 'row'])
  })

  test('an imported CSV file loses only the rows that are not UTF-8', () => {
    const rows = readAll(
      Buffer.concat([
        Buffer.from('a,b\n'),
        Buffer.from([0xc3, 0x28]),
        Buffer.from(',1\n"'),
        Buffer.from([0xff]),
        Buffer.from('",2\nc,d\n'),
      ]),
    )

    expect(wrongOf(rows)).toEqual(['row', 'invalid_utf8', 'invalid_utf8', 'row'])
  })

  test('an imported CSV loses only the row with a 10 MB field, quoted or not, however split', () => {
    for (const field of ['x'.repeat(10_000_000), `"${'x'.repeat(10_000_000)}"`, `"${'x'.repeat(10_000_000)}`]) {
      const file = Buffer.from(`a,b\n${field},1\ngood,2\n`)

      const rows = readAll(file, { sizes: [65_536] })

      expect(wrongOf(rows)).toEqual(['row', 'row_too_large', 'row'])
      expect(rows.at(-1)?.end).toBe(file.length)
      expect(readAll(file, { sizes: [1_000_000, 7] })).toEqual(rows)
      const ofMac = Buffer.from(file.toString().replaceAll('\n', '\r'))
      expect(readAll(ofMac, { sizes: [65_536] })).toEqual(rows)
    }
  })

  test('when an upload ends within a row, its bytes are kept for later, unless the row is too large', () => {
    const rows = openRows('csv', 0)

    expect([...rows.push(Buffer.from('a,b\n1,'))].map(({ end }) => end)).toEqual([4])
    expect(rows.pause()).toEqual({ rows: [], rest: Buffer.from('1,') })

    const large = openRows('csv', 0)
    expect([...large.push(Buffer.from(`a\n${'x'.repeat(2_000_000)}`))].map(({ end }) => end)).toEqual([2])
    expect(large.pause()).toEqual({ rows: [{ end: 2_000_002, wrong: 'row_too_large' }], rest: Buffer.alloc(0) })
  })
})

test('an imported file in JSON Lines has one row for each line', () => {
  const file = Buffer.from('{"a":"ü"}\r\n\n{"b":"\\n"}')

  expect(readAll(file, { kind: 'lines', sizes: [3] })).toEqual([
    { end: 12, text: '{"a":"ü"}' },
    { end: 13, text: '' },
    { end: file.length, text: '{"b":"\\n"}' },
  ])
})
