import { expect, test } from 'vitest'
import { readCursor, writeCursor } from './page-cursor.ts'

test('a cursor reads back as what was written, and nothing else reads as one', () => {
  const place = { campaignId: 'a'.repeat(24), subscriptionId: '1'.repeat(24) }
  expect(readCursor(writeCursor(place))).toEqual(place)
  for (const foreign of ['', 'a'.repeat(47), 'a'.repeat(49), 'Z'.repeat(48)]) expect(readCursor(foreign)).toBeUndefined()
})
