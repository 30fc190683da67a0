import { expect, test } from 'vitest'
import { isHeldOut } from './holdout.ts'

const appId = '671a2b3c4d5e6f7081920a06'
const since = '2026-01-01T00:00:00.000Z'
const users = Array.from({ length: 100_000 }, (_one, place) => place.toString(16).padStart(24, '0'))
const heldOut = (percent: number, generation = 1) => users.filter((user) => isHeldOut(appId, { percent, since, generation }, user))

// spec: experiments/holdout
test('of 100,000 users 10 % are held out within 4 standard errors, always the same, more percent keeping them', () => {
  const ten = heldOut(10)
  expect(Math.abs(ten.length - 10_000)).toBeLessThan(4 * Math.sqrt(100_000 * 0.1 * 0.9))
  expect(heldOut(10)).toEqual(ten)
  const twenty = new Set(heldOut(20))
  expect(ten.filter((user) => !twenty.has(user))).toEqual([])
  const again = new Set(heldOut(10, 2))
  expect(Math.abs(ten.filter((user) => again.has(user)).length - 1_000)).toBeLessThan(4 * Math.sqrt(100_000 * 0.01))
})
