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
test('20 pushes in a row that nobody answered are an outage of their push service alone', () => {
  const { origins, none, waitMs } = given()

  expect([none(19), waitMs()]).toEqual([false, 0])
  expect([none(1), waitMs()]).toEqual([true, 5_000])
  expect(origins.waitMs('app web other.example')).toBe(0)
  expect(origins.waitMs('other-app web push.example')).toBe(0)
})

test('any answer in between says that it is there, and ends an outage at once', () => {
  const { origins, none, waitMs } = given()
  none(19)
  origins.heard('app web push.example', 'an answer', false)
  expect(none(19)).toBe(false)
  expect(none(1)).toBe(true)

  origins.heard('app web push.example', 'an answer', false)

  expect(waitMs()).toBe(0)
})

test('the tries of two pushes are enough when nobody was answered meanwhile, those of one are not', () => {
  const { none } = given()
  expect([none(4), none(1, true), none(4), none(1, true)]).toEqual([false, false, false, true])
})

test('one push is sent every 5 s while it is away; the others wait longer the longer it is away, at most a minute', () => {
  const { clock, none, waitMs } = given()
  none(20)
  clock.ms = 5_000
  expect([waitMs(), waitMs(), waitMs()]).toEqual([0, 5_000, 5_000])
  clock.ms = 100_000
  expect([waitMs(), waitMs()]).toEqual([0, 25_000])
  clock.ms = 3_000_000
  expect([waitMs(), waitMs()]).toEqual([0, 60_000])
})
