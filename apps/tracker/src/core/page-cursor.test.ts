import { expect, test } from 'vitest'
import { inListOrder, readCursor, writeCursor } from './page-cursor.ts'

const campaignId = 'a'.repeat(24)

test('a cursor is read back as the place that was written, and a text of another form is not read', () => {
  for (const place of [
    { campaignId, no: 0, place: 0 },
    { campaignId, no: 20_000, place: 499 },
  ])
    expect(readCursor(writeCursor(place))).toEqual(place)
  for (const foreign of ['', 'a'.repeat(35), 'a'.repeat(37), `${campaignId}ffffffff0000`, `${campaignId}0000000g0000`, 'Z'.repeat(36)])
    expect(readCursor(foreign)).toBeUndefined()
})

test('a list of pushes begins with the newest campaign, its last batch and the last place in that batch', () => {
  const places = [
    { campaignId: 'b'.repeat(24), no: 1, place: 0 },
    { campaignId, no: 2, place: 0 },
    { campaignId, no: 1, place: 1 },
    { campaignId, no: 1, place: 0 },
    { campaignId, no: 0, place: 0 },
  ]
  expect(places.toReversed().toSorted(inListOrder)).toEqual(places)
})
