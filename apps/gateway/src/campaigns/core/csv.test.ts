import { expect, test } from 'vitest'
import { csvCell, csvLine } from './csv.ts'

// spec: administration/pushes-csv
test.each([
  ['=1+1', "'=1+1"],
  ['+49', "'+49"],
  ['-2', "'-2"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', "'\tx"],
  ['\rx', '"\'\rx"'],
  ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
])('a cell of a CSV that begins like a formula (%j) is written as text', (value, cell) => {
  expect(csvCell(value)).toBe(cell)
})

test.each([
  ['plain', 'plain'],
  ['410 Unregistered', '410 Unregistered'],
  ['a=b', 'a=b'],
  ['a,b', '"a,b"'],
  ['say "no"', '"say ""no"""'],
  ['two\nlines', '"two\nlines"'],
  ['', ''],
  [null, ''],
  [3, '3'],
])('a cell of a CSV with %j is quoted only where RFC 4180 asks for it', (value, cell) => {
  expect(csvCell(value)).toBe(cell)
})

test('a line of a CSV ends with a carriage return and a line feed', () => {
  expect(csvLine(['a', 1, null, 'b,c'])).toBe('a,1,,"b,c"\r\n')
})
