import { expect, test } from 'vitest'
import { openOrigins } from './origins.ts'

function given() {
  const clock = { ms: 0 }
  const origins = openOrigins(5_000, () => clock.ms)
  const none = (times: number, isLast = false) =>
    Array.from({ length: times }, () => origins.heard('app web push.example', 'none', isLast)).at(-1)
  return { clock, origins, none, waitMs: () => origins.waitMs('app web push.example') }
}

// spec: providers/push-service-away
test('20 pushes in a row without an answer make their push service count as away, and no other push service', () => {
  const { origins, none, waitMs } = given()

  expect([none(19), waitMs()]).toEqual([false, 0])
  expect([none(1), waitMs()]).toEqual([true, 5_000])
  expect(origins.waitMs('app web other.example')).toBe(0)
  expect(origins.waitMs('other-app web push.example')).toBe(0)
})

test('any answer shows that a push service is there, and ends its outage at once', () => {
  const { origins, none, waitMs } = given()
  none(19)
  origins.heard('app web push.example', 'an answer', false)
  expect(none(19)).toBe(false)
  expect(none(1)).toBe(true)

  origins.heard('app web push.example', 'an answer', false)

  expect(waitMs()).toBe(0)
})

test('a push service is away when two pushes used up all attempts without an answer, not when one has', () => {
  const { none } = given()
  expect([none(4), none(1, true), none(4), none(1, true)]).toEqual([false, false, false, true])
})

test('to a push service that is away one push goes every 5 s, later every minute at most', () => {
  const { clock, none, waitMs } = given()
  none(20)
  clock.ms = 5_000
  expect([waitMs(), waitMs(), waitMs()]).toEqual([0, 5_000, 5_000])
  clock.ms = 100_000
  expect([waitMs(), waitMs()]).toEqual([0, 25_000])
  clock.ms = 3_000_000
  expect([waitMs(), waitMs()]).toEqual([0, 60_000])
})
