import { expect, test } from 'vitest'
import { usualRate } from './usual-rate.ts'

const campaign = (id: string, opened: number, { sent = 100, status = 'sent' } = {}) => ({
  id,
  status,
  stats: { sent, opened, clicked: 0 },
})

// spec: dashboard/usual-rate
test('a campaign is compared with the median of the other campaigns that have ended and went to enough devices', () => {
  const others = [campaign('a', 10), campaign('b', 30), campaign('c', 90)]
  expect(usualRate([...others, campaign('this', 99)], 'opened', 'this')).toEqual({ rate: 0.3, of: 3 })
  expect(usualRate([...others, campaign('d', 50)], 'opened', 'this')).toEqual({ rate: 0.4, of: 4 })
  const small = [campaign('e', 19, { sent: 19 }), campaign('f', 80, { status: 'cancelled' }), campaign('this', 99)]
  expect(usualRate(small, 'opened', 'this')).toBeNull()
})
