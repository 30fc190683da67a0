import { packIds } from '@herald/contracts/compact-ids'
import type { End, EndOfPlaces } from '@herald/contracts/outcome'
import { newId } from '@herald/contracts/ids'
import { expect, test } from 'vitest'
import { countSlots, endedPlaces, fillSlots, idAt, indexesOf, readEnds, rowsOf, slotAt, type Slots } from './slots.ts'

const sent: End = { outcome: 'sent', code: '', providerCode: '200', variant: '', attempts: 1, tokenVersion: 1 }
const dead: End = { ...sent, outcome: 'failed', code: 'token_dead', providerCode: '410 "gone"' }
const givenRow = (size: number, place = 0): Slots => ({ place, size, slots: Buffer.alloc(size), ends: '', sent: 0, failed: 0, skipped: 0 })
const told = (end: End, ...places: number[]): EndOfPlaces => ({ ...end, places })
const bytes = (ids: string[]) => Buffer.from(ids.join(''), 'hex')

// spec: tracking/one-outcome
test('the first outcome of a push counts, whether another comes in the same call or later', () => {
  const first = fillSlots(givenRow(4), [told(sent, 0, 1, 1), told(dead, 1, 2)], 1_000)
  expect(first.fresh).toEqual([
    { ...sent, places: [0, 1], of: 0 },
    { ...dead, places: [2], of: 1 },
  ])
  expect(first.row).toMatchObject({ sent: 2, failed: 1, skipped: 0 })

  const second = fillSlots(first.row, [told(dead, 0, 1, 2, 3)], 2_000)
  expect(second.fresh).toEqual([{ ...dead, places: [3], of: 0 }])
  expect(endedPlaces(second.row)).toEqual([
    { ...sent, at: 1_000, places: [0, 1] },
    { ...dead, at: 1_000, places: [2] },
    { ...dead, at: 2_000, places: [3] },
  ])

  const third = fillSlots(second.row, [told(dead, 0, 1, 2, 3)], 3_000)
  expect(third).toEqual({ row: second.row, fresh: [] })
})

test('filling slots does not change the row that was read', () => {
  const row = givenRow(2)
  fillSlots(row, [told(sent, 0)], 1)
  expect(row).toEqual(givenRow(2))
})

test('a row of the ledger ignores outcomes of pushes that belong to other rows', () => {
  const { row, fresh } = fillSlots(givenRow(1, 7), [told(sent, 6, 7, 8)], 1)
  expect(fresh).toEqual([{ ...sent, places: [7], of: 0 }])
  expect(endedPlaces(row)).toEqual([{ ...sent, at: 1, places: [7] }])
})

test('pushes that end in the same way at the same time share one entry in the row', () => {
  const { row } = fillSlots(givenRow(3), [told(sent, 0), told(sent, 1), told({ ...sent, attempts: 2 }, 2)], 1)
  expect(readEnds(row)).toHaveLength(2)
})

test('a row whose pushes end in over 255 ways takes two bytes a slot; earlier outcomes stay right', () => {
  let row = givenRow(400)
  for (let place = 0; place < 400; place += 1) row = fillSlots(row, [told({ ...sent, providerCode: String(place) }, place)], place).row
  expect(row.slots).toHaveLength(800)
  expect(Array.from({ length: 400 }, (_, place) => slotAt(row, place))).toEqual(Array.from({ length: 400 }, (_, place) => place + 1))
  expect(countSlots(row).every(({ end, count }, place) => count === 1 && end.providerCode === String(place) && end.at === place)).toBe(true)
})

test('pushes are counted from the slots, even when the row’s sums are wrong', () => {
  const { row } = fillSlots(givenRow(5), [told(sent, 0, 1), told(dead, 4)], 1)
  expect(countSlots({ ...row, sent: 5, failed: 0 }).map(({ end, count }) => [end.outcome, count])).toEqual([
    ['sent', 2],
    ['failed', 1],
  ])
})

test('a batch of up to 16 pushes is a row each, a larger one a row with its ids', () => {
  const ids = (count: number) => Array.from({ length: count }, () => newId())
  const [few, many, users] = [ids(16), ids(17), ids(17)]
  expect(rowsOf(packIds(few), packIds(users.slice(0, 16)))).toEqual(
    few.map((id, place) => {
      return { place, size: 1, firstId: null, lastId: null, devices: packIds([id]), users: packIds([users[place] ?? '']) }
    }),
  )
  const inOrder = many.toSorted()
  expect(rowsOf(packIds(many), packIds(users))).toEqual([
    { place: 0, size: 17, devices: packIds(many), users: packIds(users), firstId: inOrder[0], lastId: inOrder.at(-1) },
  ])
})

test('an id is found only at its positions in packed ids, not across two neighbours', () => {
  const id = 'ab'.repeat(12)
  const all = [newId(), `${'00'.repeat(6)}${'ab'.repeat(6)}`, `${'ab'.repeat(6)}${'00'.repeat(6)}`, id, newId(), id]
  expect(indexesOf(bytes(all), bytes([id]))).toEqual([3, 5])
  expect(all.map((_, index) => idAt(bytes(all), index))).toEqual(all)
})
