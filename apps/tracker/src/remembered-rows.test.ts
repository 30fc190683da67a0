import { expect, test } from 'vitest'
import { openRememberedRows } from './remembered-rows.ts'
import type { ReadRow } from './store/ledger.ts'

const day = '2026-11-28'
const batch = { campaignId: 'c'.repeat(24), no: 1, appId: 'a'.repeat(24) }
const row = { place: 0, size: 3, slots: Buffer.of(1, 0, 0), ends: '[]', sent: 1, failed: 0, skipped: 0 }
const read = (fields: Partial<ReadRow> = {}): ReadRow => ({
  ...{ ...row, batch: 0, at: new Date(), listened: -1, heard: null, devices: null, users: null },
  ...fields,
})
const given = (fields: Partial<ReadRow> = {}) => {
  const remembered = openRememberedRows()
  remembered.read([read(fields)], [batch])
  remembered.wrote(day, batch, [row])
  return remembered
}

test('written rows are found as written, with the database’s time, unless an asked batch is not remembered', () => {
  const remembered = given({ at: new Date(Date.now() + 600_000), listened: 7 })
  const [found] = remembered.find(day, [batch]) ?? []
  expect(found).toMatchObject({ ...row, batch: 0, listened: 7, heard: null })
  expect(Number(found?.at) - Date.now()).toBeGreaterThan(590_000)
  expect(remembered.find(day, [batch, { ...batch, no: 2 }])).toBeUndefined()
  expect(remembered.find('2026-11-27', [batch])).toBeUndefined()
})

test('rows of an app whose endpoints ask for events, or that was never read, are not remembered', () => {
  expect(given({ heard: ['*'] }).find(day, [batch])).toBeUndefined()
  const remembered = given()
  const stranger = { ...batch, appId: 'b'.repeat(24) }
  remembered.wrote(day, stranger, [row])
  expect(remembered.find(day, [stranger])).toBeUndefined()
})

test('after a write that found other rows all rows are read for ten seconds', () => {
  const remembered = given()
  const other = { ...batch, no: 2 }
  remembered.wrote(day, other, [row])
  remembered.outdated(day, [batch])
  expect(remembered.find(day, [other])).toBeUndefined()
})

test('at most 1,000 batches are remembered', () => {
  const remembered = given()
  for (let no = 2; no <= 1_001; no += 1) remembered.wrote(day, { ...batch, no }, [row])
  expect(remembered.find(day, [batch])).toBeUndefined()
  expect(remembered.find(day, [{ ...batch, no: 1_001 }])).toHaveLength(1)
})

test('a batch whose pushes ended in very many ways is not remembered', () => {
  const remembered = given()
  remembered.wrote(day, batch, [{ ...row, ends: 'x'.repeat(4_001) }])
  expect(remembered.find(day, [batch])).toBeUndefined()
})

test('nothing is remembered of a database that was away', () => {
  const remembered = given()
  remembered.clear()
  remembered.wrote(day, batch, [row])
  expect(remembered.find(day, [batch])).toBeUndefined()
})
