import { expect, test } from 'vitest'
import { csvCell, csvOf } from './csv.ts'

// spec: dashboard/audit-csv
test('a spreadsheet that opens a CSV does not run a cell that begins like a formula', () => {
  expect(['=1+1', '+1', '-1', '@a', '\tx', 'plain'].map(csvCell)).toEqual(["'=1+1", "'+1", "'-1", "'@a", "'\tx", 'plain'])
})

test('quotes, commas and line breaks stay within their cell of a CSV', () => {
  expect(
    csvOf(
      ['a', 'b'],
      [
        ['x,y', 'say "hi"'],
        ['two\nlines', ''],
      ],
    ),
  ).toBe('a,b\r\n"x,y","say ""hi"""\r\n"two\nlines",\r\n')
})
