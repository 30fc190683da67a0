import type { Platform } from '@herald/contracts/platform'
import { expect, test } from 'vitest'
import { countByPlatform, cutIntoBatches, laneOf, mostBatches } from './batching.ts'
import type { Queued } from './queueing.ts'

const pushes = (count: number, platform: Platform, skip: Queued['skip'] = null): Queued[] =>
  Array.from({ length: count }, (_, index) => ({
    subscriptionId: `${platform}${String(index).padStart(5, '0')}`,
    userId: `u${platform}${index}`,
    platform,
    skip,
  }))

test('a batch has one platform and at most 500 pushes, in order and with their users', () => {
  const ios = pushes(1_001, 'ios')
  const page = [...ios, ...pushes(3, 'web')]

  const batches = cutIntoBatches(page)

  expect(batches.map(({ platform, subscriptionIds }) => [platform, subscriptionIds.length])).toEqual([
    ['ios', 500],
    ['ios', 500],
    ['ios', 1],
    ['web', 3],
  ])
  const ofIos = batches.filter(({ platform }) => platform === 'ios')
  expect(ofIos.flatMap(({ subscriptionIds }) => subscriptionIds)).toEqual(ios.map(({ subscriptionId }) => subscriptionId))
  expect(ofIos.flatMap(({ userIds }) => userIds)).toEqual(ios.map(({ userId }) => userId))
  expect(batches.every(({ decided }) => decided === null)).toBe(true)
  expect(countByPlatform(page)).toEqual({ ios: 1_001, android: 0, web: 3 })
})

test('skipped pushes get separate batches with the reason, and are counted', () => {
  const page = [...pushes(2, 'ios'), ...pushes(1, 'ios', 'frequency_cap'), ...pushes(1, 'ios', 'quiet_hours')]

  const [sent, skipped] = cutIntoBatches(page)

  expect(sent).toMatchObject({ decided: null, subscriptionIds: ['ios00000', 'ios00001'] })
  expect(skipped?.decided).toEqual([
    { place: 0, subscriptionId: 'ios00000', userId: 'uios0', tokenVersion: 0, attempts: 0, outcome: 'skipped', code: 'frequency_cap' },
    { place: 1, subscriptionId: 'ios00000', userId: 'uios0', tokenVersion: 0, attempts: 0, outcome: 'skipped', code: 'quiet_hours' },
  ])
  expect(countByPlatform(page)).toEqual({ ios: 4, android: 0, web: 0 })
})

test('a page never has more batches than the check of the bulk window expects', () => {
  for (const [sent, skipped] of [
    [0, 0],
    [1, 0],
    [499, 2],
    [1, 500],
    [4_999, 1],
    [2_501, 2_499],
  ] as const) {
    const batches = cutIntoBatches([...pushes(sent, 'web'), ...pushes(skipped, 'web', 'silent_web')])
    expect(batches.length).toBeLessThanOrEqual(mostBatches(sent + skipped))
  }
})

test('for a page without devices no batch is made', () => {
  expect(cutIntoBatches([])).toEqual([])
})

// spec: sending/lanes
test('only a send of one page and at most 1,000 devices goes on the prompt lane', () => {
  expect(laneOf({ isLast: true, devices: 1_000 })).toBe('prompt')
  expect(laneOf({ isLast: true, devices: 1_001 })).toBe('bulk')
  expect(laneOf({ isLast: false, devices: 3 })).toBe('bulk')
})
