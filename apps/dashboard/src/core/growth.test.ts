import { expect, test } from 'vitest'
import { growthOf } from './growth.ts'

// spec: dashboard/growth
test('the growth is the reachable devices at each counted day’s end, and their change from first to last', () => {
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
