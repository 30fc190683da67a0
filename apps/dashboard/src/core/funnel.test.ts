import { expect, test } from 'vitest'
import { funnelOf, reportsOf } from './funnel.ts'

const counts = { sent: 1_000, delivered: 380, opened: 100, clicked: 40, dismissed: 10 }

// spec: dashboard/cannot-report
test('pushes to a platform without reports are left out of the shares of delivered, opened and clicked', () => {
  const funnel = funnelOf(counts, { ios: 600, android: 400, web: 0 }, { ios: 0, android: 5_000, web: 0 })
  expect(funnel.silent).toEqual([{ platform: 'ios', sent: 600 }])
  expect(funnel.reporting).toBe(400)
  expect(funnel.steps.find(({ key }) => key === 'delivered')).toEqual({
    key: 'delivered',
    label: 'Confirmed deliveries',
    value: 380,
    of: 400,
  })
})

test('when no device of the app reports, the page shows no shares instead of 0 %', () => {
  const funnel = funnelOf(
    { ...counts, delivered: 0, opened: 0, clicked: 0, dismissed: 0 },
    { ios: 600, android: 400, web: 0 },
    { ios: 0, android: 0, web: 0 },
  )
  expect(funnel.reporting).toBe(0)
  expect(funnel.steps[1]?.of).toBe(0)
})

test('a test’s funnel shows shares once a device has reported, although the series leaves tests out', () => {
  const once = { sent: 1, delivered: 1, opened: 0, clicked: 0, dismissed: 0 }
  const funnel = funnelOf(once, { ios: 1, android: 0, web: 0 }, { ios: 0, android: 0, web: 0 })
  expect(funnel.silent).toEqual([])
  expect(funnel.steps[1]).toEqual({ key: 'delivered', label: 'Confirmed deliveries', value: 1, of: 1 })
})

test('while it is unknown how many pushes went to each platform, shares are of all sent pushes', () => {
  for (const sentBy of [null, { ios: null, android: null, web: null }]) {
    const funnel = funnelOf(counts, sentBy, { ios: 0, android: 1, web: 0 })
    expect([funnel.reporting, funnel.silent, funnel.steps[1]?.of]).toEqual([null, [], 1_000])
  }
})

test('reports of devices are added up by platform', () => {
  const point = { delivered: 1, opened: 2, clicked: 3, dismissed: 4 }
  expect(reportsOf([{ platform: 'ios', ...point }, { platform: 'web', ...point }, { platform: 'ios', ...point }, point])).toEqual({
    ios: 20,
    android: 0,
    web: 10,
  })
})
