import { expect, test } from 'vitest'
import { lonePlaces, spanOfTimes } from './chart-lines.ts'

// spec: dashboard/chart-one-day
test('a day between empty days is a dot, also at a chart’s ends, and so is the only value', () => {
  expect(lonePlaces([0, 0, 665])).toEqual([2])
  expect(lonePlaces([665, 0, 0])).toEqual([0])
  expect(lonePlaces([0, 3, 0, 5, 6, 0, 7])).toEqual([1, 6])
  expect(lonePlaces([665])).toEqual([0])
  expect(lonePlaces([0])).toEqual([0])
})

test('a day without a push, and days that a line joins, are drawn without a dot', () => {
  expect(lonePlaces([0, 0, 0])).toEqual([])
  expect(lonePlaces([4, 5, 0, 6, 7])).toEqual([])
  expect(lonePlaces([])).toEqual([])
})

// spec: dashboard/chart-one-day
test('a chart has half a step of room at an end with a dot, else it ends at its values', () => {
  const days = [0, 86_400, 172_800]
  expect(
    spanOfTimes(days, [
      [0, 0, 665],
      [0, 0, 0],
    ]),
  ).toEqual([0, 216_000])
  expect(
    spanOfTimes(days, [
      [0, 5, 0],
      [8, 0, 0],
    ]),
  ).toEqual([-43_200, 172_800])
  expect(spanOfTimes(days, [[1, 2, 3]])).toEqual([0, 172_800])
  expect(spanOfTimes([1_000], [[7]])).toEqual([400, 1_600])
})
