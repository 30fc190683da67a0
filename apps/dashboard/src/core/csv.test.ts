import { expect, test } from 'vitest'
import { csvCell, csvOf } from './csv.ts'

// spec: dashboard/audit-csv
test('a cell that begins like a formula is not run by a spreadsheet', () => {
  expect(['=1+1', '+1', '-1', '@a', '\tx', 'plain'].map(csvCell)).toEqual(["'=1+1", "'+1", "'-1", "'@a", "'\tx", 'plain'])
})

test('quotes, commas and line ends stay inside their cell', () => {
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
