import { expect, test } from 'vitest'
import { countByPlatform, cutIntoBatches, laneOf } from './batching.ts'

const devices = (count: number, prefix: string) => ({
  subscriptionIds: Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(5, '0')}`),
  userIds: Array.from({ length: count }, (_, index) => `u${prefix}${index}`),
})

test('a batch has one platform, at most 500 pushes, and keeps order and owners', () => {
  const page = { ios: devices(1_001, 'i'), web: devices(3, 'w') }

  const batches = cutIntoBatches(page)

  expect(batches.map(({ platform, subscriptionIds }) => [platform, subscriptionIds.length])).toEqual([
    ['ios', 500],
    ['ios', 500],
    ['ios', 1],
    ['web', 3],
  ])
  expect(batches.filter(({ platform }) => platform === 'ios').flatMap(({ subscriptionIds }) => subscriptionIds)).toEqual(
    page.ios.subscriptionIds,
  )
  expect(batches.filter(({ platform }) => platform === 'ios').flatMap(({ userIds }) => userIds)).toEqual(page.ios.userIds)
  expect(countByPlatform(page)).toEqual({ ios: 1_001, android: 0, web: 3 })
})

test('nobody to send to makes no batch', () => {
  expect(cutIntoBatches({})).toEqual([])
})

test('only a send of one page and at most 1,000 devices is prompt', () => {
  expect(laneOf({ isLast: true, devices: 1_000 })).toBe('prompt')
  expect(laneOf({ isLast: true, devices: 1_001 })).toBe('bulk')
  expect(laneOf({ isLast: false, devices: 3 })).toBe('bulk')
})
