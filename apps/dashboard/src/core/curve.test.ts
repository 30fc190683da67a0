import { expect, test } from 'vitest'
import { curveSpans, risingCurve } from './curve.ts'

const point = (afterSeconds: number, opened: number) => ({ afterSeconds, delivered: 10, opened, clicked: 0, dismissed: 0 })

// spec: dashboard/curve
test('a curve rises from none, by the minute, then by ten minutes, and after a day by the hour', () => {
  const curve = risingCurve([point(0, 3), point(60, 1), point(3_600, 2), point(86_400, 5)], 'all')
  expect(curve.afterSeconds).toEqual([0, 60, 120, 4_200, 90_000])
  expect(curve.opened).toEqual([0, 3, 4, 6, 11])
  expect(curve.delivered).toEqual([0, 10, 20, 30, 40])
})

// spec: dashboard/curve
test('a curve can be shown for its first hour and its first day once it is longer than they', () => {
  const points = [point(0, 3), point(60, 1), point(3_600, 2), point(86_400, 5)]
  expect(curveSpans(points)).toEqual(['hour', 'day', 'all'])
  expect(curveSpans(points.slice(0, 3))).toEqual(['hour', 'all'])
  expect(curveSpans([])).toEqual(['all'])
  expect(risingCurve(points, 'hour').opened).toEqual([0, 3, 4])
  expect(risingCurve(points, 'day').opened).toEqual([0, 3, 4, 6])
})
