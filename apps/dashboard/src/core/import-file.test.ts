import { expect, test } from 'vitest'
import { formatOf, guessColumns, headerOf, problemOfFile } from './import-file.ts'

test('an import’s format is found from the file’s first line, or from the ending .ndjson of its name', () => {
  expect(formatOf('export.csv', '"id","identifier","device_type","tags"\n1,2,0,{}')).toBe('onesignal_csv')
  expect(formatOf('users.txt', 'platform,token\nios,1')).toBe('csv')
  expect(formatOf('users.txt', '{"platform":"ios"}\n')).toBe('jsonl')
  expect(formatOf('users.ndjson', '')).toBe('jsonl')
})

test('column names are read from a CSV’s header, also with quotes, commas and a byte order mark', () => {
  for (const lineEnd of ['\n', '\r\n', '\r'])
    expect(headerOf(`\ufeffplatform,"fcm, token",last${lineEnd}ios,1`)).toEqual(['platform', 'fcm, token', 'last'])
  expect(headerOf('"one","two ""2""",three\n')).toEqual(['one', 'two "2"', 'three'])
})

test('each field gets its own named column, else one with a usual name; no column is used twice', () => {
  const fields = ['platform', 'token', 'externalId', 'lastActiveAt', 'country'] as const
  expect(guessColumns(fields, ['Platform', 'fcm_token', 'customer_no', 'external_id', 'last seen'])).toEqual({
    platform: 'Platform',
    token: 'fcm_token',
    externalId: 'external_id',
    lastActiveAt: 'last seen',
  })
})

test.each<[name: string, size: number, head: string, says: RegExp]>([
  ['a.csv', 0, '', /empty/],
  ['a.csv.gz', 10, '\u001f\u008b', /compressed/],
  ['a.csv', 10, 'PK\u0003\u0004', /compressed or a spreadsheet/],
  ['a.csv', 10, 'p\0l\0a\0', /no UTF-8/],
  ['a.csv', 5 * 1024 ** 3, 'platform', /larger than 4 GiB/],
])('a file %s of %d bytes is refused with a reason', (name, size, head, says) => {
  expect(problemOfFile(name, size, head)).toMatch(says)
})

test('a CSV file is accepted', () => {
  expect(problemOfFile('a.csv', 100, 'platform,token')).toBeUndefined()
})
