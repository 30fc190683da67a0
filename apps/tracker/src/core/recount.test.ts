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

test('rows add up to the campaign and to each variant', () => {
  expect(recountedStats([...rows], { queued: 5, isSettled: true })).toEqual({
    ...{ ...noStats, queued: 5, sent: 3, failed: 1, skipped: 1, opened: 2 },
    variants: { a: { ...none, sent: 3, opened: 2 }, b: { ...none, failed: 1 } },
  })
})

test('while a campaign is sent more may be queued than ended; once settled both are one, and less is never right', () => {
  const queued = (settings: { queued: number; isSettled: boolean }) => recountedStats([...rows], settings).queued
  expect(queued({ queued: 9, isSettled: false })).toBe(9)
  expect(queued({ queued: 9, isSettled: true })).toBe(5)
  expect(queued({ queued: 4, isSettled: false })).toBe(5)
})

test('a difference adds up whatever is off, in either direction, also in a variant that one side does not know', () => {
  const stats = recountedStats([...rows], { queued: 5, isSettled: true })
  expect(differenceOf(stats, stats)).toBe(0)
  expect(differenceOf(stats, { ...stats, sent: 5, failed: 0 })).toBe(3)
  expect(differenceOf({ ...stats, variants: { a: { ...none, sent: 3, opened: 2 } } }, stats)).toBe(1)
})
