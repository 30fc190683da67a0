import { newId } from '@herald/contracts/ids'
import { readCursor } from '@herald/contracts/page'
import { expect, test } from 'vitest'
import { cappedList, listRequestOf, PageQuery } from './page.ts'

const item = (bytes: number, second: number) => ({
  id: newId(),
  createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, second, 7)).toISOString(),
  text: 'é'.repeat(bytes / 2),
})

test('a page of a list that fits into 512 KiB is answered complete', () => {
  const page = { items: [item(1000, 1), item(1000, 2)], nextCursor: 'next' }
  expect(cappedList(page)).toEqual(page)
  expect(cappedList({ items: [], nextCursor: null })).toEqual({ items: [], nextCursor: null })
})

// spec: limits/list-bytes
test('a page of a list that would be larger than 512 KiB ends earlier, and its cursor continues after it', () => {
  const items = [item(200_000, 3), item(200_000, 2), item(200_000, 1)]
  const { items: kept, nextCursor } = cappedList({ items, nextCursor: null })

  expect(kept).toEqual(items.slice(0, 2))
  expect(readCursor(nextCursor ?? '')).toEqual({ id: items[1]?.id, createdAt: new Date(items[1]?.createdAt ?? '') })
})

// spec: limits/list-bytes
test('an item of a list that is larger than 512 KiB by itself is a page of its own', () => {
  const items = [item(600_000, 2), item(10, 1)]
  expect(cappedList({ items, nextCursor: null }).items).toEqual(items.slice(0, 1))
})

// spec: limits/lists
test('a client may limit a list’s page from 1 to 200 items; without a limit it has 100 at most', () => {
  expect(PageQuery.parse({})).toEqual({ limit: 100 })
  expect(PageQuery.parse({ limit: '200', q: 'a' })).toEqual({ limit: 200, q: 'a' })
  for (const limit of ['0', '201', '-1', '1e2', '', ' 5', '0x10', '5.0']) expect(PageQuery.safeParse({ limit }).success).toBe(false)
})

// spec: limits/lists
test('a list with a made-up cursor is refused, and the error names `cursor`', () => {
  expect(() => listRequestOf({ limit: 5, cursor: 'bm9uc2Vuc2U' })).toThrow(
    expect.objectContaining({ details: [{ path: 'cursor', message: expect.any(String) }] }),
  )
})
