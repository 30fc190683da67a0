import { noStats } from '@herald/contracts/stats'
import { expect, test } from 'vitest'
import { differenceOf, recountedStats } from './recount.ts'

const { queued: _, ...none } = noStats
const rows = [
  { variant: '', kind: 'skipped', count: 1 },
  { variant: 'a', kind: 'sent', count: 3 },
  { variant: 'a', kind: 'opened', count: 2 },
  { variant: 'b', kind: 'failed', count: 1 },
] as const

test('the counts of a campaign’s rows add up to the statistics of the campaign and of each variant', () => {
  expect(recountedStats([...rows], 5)).toEqual({
    ...{ ...noStats, queued: 5, sent: 3, failed: 1, skipped: 1, opened: 2 },
    variants: { a: { ...none, sent: 3, opened: 2 }, b: { ...none, failed: 1 } },
  })
})

test('the difference of two statistics adds up every difference in either direction, also in a one-sided variant', () => {
  const stats = recountedStats([...rows], 5)
  expect(differenceOf(stats, stats)).toBe(0)
  expect(differenceOf(stats, { ...stats, sent: 5, failed: 0 })).toBe(3)
  expect(differenceOf({ ...stats, variants: { a: { ...none, sent: 3, opened: 2 } } }, stats)).toBe(1)
})
