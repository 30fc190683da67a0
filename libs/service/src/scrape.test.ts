import { databaseUnavailable } from '@herald/contracts/fault'
import { expect, test } from 'vitest'
import type { DatabaseWatch } from './health.ts'
import { readForScrape } from './scrape.ts'

const watch: DatabaseWatch = {
  up: true,
  guard: (work) => work(),
  whenUp: () => Promise.resolve(),
  onReturn: () => undefined,
  onAway: () => undefined,
}
const never = new Promise<number>(() => undefined)

test('the metrics have the number that the database answers', async () => {
  expect(await readForScrape(watch, async () => 7)()).toBe(7)
})

test('when a query for metrics hangs or fails, or without database, its number is missing and the reading ends', async () => {
  expect(await readForScrape(watch, () => never, 20)()).toBeUndefined()
  expect(await readForScrape(watch, () => Promise.reject(new Error('no such table')))()).toBeUndefined()
  expect(await readForScrape({ ...watch, guard: () => Promise.reject(databaseUnavailable()) }, async () => 7)()).toBeUndefined()
})

test('no second query runs for the metrics while the first one has no answer, and afterwards one runs again', async () => {
  let asked = 0
  const { promise, resolve } = Promise.withResolvers<number>()
  const read = readForScrape(watch, () => (asked++, promise), 20)
  await read()
  expect([await read(), asked]).toEqual([undefined, 1])

  resolve(7)
  await promise
  await Promise.resolve()

  expect([await read(), asked]).toEqual([7, 2])
})
