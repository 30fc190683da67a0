import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readRows } from './rows.ts'

function rowsOf(content: string | Buffer, isCsv = true): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'herald-rows-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, 'file')
  writeFileSync(file, content)
  return [...readRows(file, isCsv)].map(({ number, text }) => `${number}:${text}`)
}

test('rows of a CSV are counted as Herald counts them: line ends in quotes belong to a row, and blank rows are none', () => {
  expect(rowsOf('\uFEFFa,b\r\n1,"x\n""y"""\r\n\r\n""\n2,z')).toEqual(['0:a,b', '1:1,"x\n""y"""', '2:2,z'])
})

test('a wrong quote costs its own line and not the rest of the file', () => {
  expect(rowsOf('a,b\n1,x"y\n2,"x"y\n3,"open\n4,z\n')).toEqual(['0:a,b', '1:1,x"y', '2:2,"x"y', '3:3,"open', '4:4,z'])
})

test('a row that is too long is one row, and so is one across two readings of the file', () => {
  const long = 'x'.repeat(1_500_000)
  const [header, ...rows] = rowsOf(`a\n"${long}"\n${'1,"q\nq"\n'.repeat(700_000)}end`)
  expect(header).toBe('0:a')
  expect(rows).toHaveLength(700_002)
  expect(new Set(rows.slice(1, -1).map((row) => row.split(':')[1])).size).toBe(1)
})

test('lines of JSON begin with number 0, and blank ones have none', () => {
  expect(rowsOf('{"a":"\\""}\n \n{"b":1}', false)).toEqual(['0:{"a":"\\""}', '1:{"b":1}'])
})
