import { expect, test } from 'vitest'
import { mayAsk } from './soft-ask.ts'

const day = 86_400_000
const now = 1_000 * day

test('the page’s question may come at once, again 14 days after a refusal, never after the third', () => {
  expect(mayAsk([], {}, now)).toBe(true)
  expect(mayAsk([now - 13 * day], {}, now)).toBe(false)
  expect(mayAsk([now - 14 * day], {}, now)).toBe(true)
  expect(mayAsk([now - 90 * day, now - 60 * day, now - 30 * day], {}, now)).toBe(false)
})

test('the page can set after how many days its question may be asked again, and how often', () => {
  expect(mayAsk([now - day], { everyDays: 1 }, now)).toBe(true)
  expect(mayAsk([now - 90 * day], { most: 1 }, now)).toBe(false)
})
