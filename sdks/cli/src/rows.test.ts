import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fieldsOf, readRows } from './rows.ts'

function rowsOf(content: string | Buffer, isCsv = true): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'herald-rows-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, 'file')
  writeFileSync(file, content)
  return [...readRows(file, isCsv)].map(({ number, text }) => `${number}:${text}`)
}

test('a CSV’s rows are numbered like Herald’s: a quoted line end belongs to its row, blank rows have none', () => {
  expect(rowsOf('\uFEFFa,b\r\n1,"x\n""y"""\r\n\r\n""\n2,z')).toEqual(['0:a,b', '1:1,"x\n""y"""', '2:2,z'])
})

test('the rows of a CSV file end with LF, CRLF or CR, also in one file', () => {
  expect(rowsOf('a,b\r1,"x\ry"\r\r\n2,z\n3,"w"\r')).toEqual(['0:a,b', '1:1,"x\ry"', '2:2,z', '3:3,"w"'])
})

test.each([
  ['a,b', ['a', 'b']],
  ['', ['']],
  [',"",x,', ['', '', 'x', '']],
  ['"notes, ""internal""","x\ny",identifier', ['notes, "internal"', 'x\ny', 'identifier']],
])('the row %j has the fields %j', (row, fields) => {
  expect(fieldsOf(row)).toEqual(fields)
})

test('a wrong quote in a CSV file spoils only its line, and the next rows are read', () => {
  expect(rowsOf('a,b\n1,x"y\n2,"x"y\n3,"open\n4,z\n')).toEqual(['0:a,b', '1:1,x"y', '2:2,"x"y', '3:3,"open', '4:4,z'])
})

test('a CSV row above 1 MiB counts as one row, also when read in two parts', () => {
  const long = 'x'.repeat(1_500_000)
  const [header, ...rows] = rowsOf(`a\n"${long}"\n${'1,"q\nq"\n'.repeat(700_000)}end`)
  expect(header).toBe('0:a')
  expect(rows).toHaveLength(700_002)
  expect(new Set(rows.slice(1, -1).map((row) => row.split(':')[1])).size).toBe(1)
})

test('the rows of a JSON lines file are numbered from 0, and blank lines have no number', () => {
  expect(rowsOf('{"a":"\\""}\n \n{"b":1}', false)).toEqual(['0:{"a":"\\""}', '1:{"b":1}'])
})
