import { noStats } from '@herald/contracts/stats'
import { expect, test } from 'vitest'
import { ratesOf } from './rates.ts'

// spec: tracking/rates
test('rates have four decimals: delivered divided by sent, opened and clicked divided by delivered', () => {
  expect(ratesOf({ ...noStats, queued: 9, sent: 7, delivered: 3, opened: 2, clicked: 1 })).toEqual({
    delivery: 0.4286,
    open: 0.6667,
    click: 0.3333,
  })
})

// spec: tracking/rates
test('a rate is null while its divisor is 0', () => {
  expect(ratesOf(noStats)).toEqual({ delivery: null, open: null, click: null })
  expect(ratesOf({ ...noStats, sent: 5 })).toEqual({ delivery: 0, open: null, click: null })
})

test('a rate above 1, as when a provider’s answer was lost, is shown as it is', () => {
  expect(ratesOf({ ...noStats, sent: 2, delivered: 3 }).delivery).toBe(1.5)
})
