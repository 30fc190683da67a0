import { expect, test } from 'vitest'
import { growthOf } from './growth.ts'

// spec: dashboard/growth
test('the growth is the number of reachable devices at the end of each counted day, and its change from the first day to the last', () => {
  const point = (at: string, platform: 'ios' | 'android' | 'web', reachable: number) => ({ at, platform, reachable })
  const growth = growthOf([
    point('2026-11-02', 'ios', 7),
    point('2026-11-01', 'ios', 5),
    point('2026-11-01', 'web', 2),
    point('2026-11-04', 'web', 1),
  ])
  expect(growth).toEqual({
    days: [
      { at: '2026-11-01', reachable: { ios: 5, android: 0, web: 2 } },
      { at: '2026-11-02', reachable: { ios: 7, android: 0, web: 2 } },
      { at: '2026-11-04', reachable: { ios: 7, android: 0, web: 1 } },
    ],
    reachable: 8,
    change: 1,
  })
  expect(growthOf([point('2026-11-01', 'ios', 5)])).toBeUndefined()
})
