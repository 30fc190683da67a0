import type { Lane } from '@herald/contracts/platform'
import { expect, test } from 'vitest'
import { openWindow, type Window } from './window.ts'

const never = new AbortController().signal

/** Asks for places, and gives a function that counts those that it has got. */
async function ask(window: Window, origin: string, lane: Lane, count: number): Promise<() => number> {
  let entered = 0
  for (let n = 0; n < count; n += 1) void window.enter(origin, lane, never).then((ok) => (entered += ok ? 1 : 0))
  await settle()
  return () => entered
}
const settle = () => new Promise((resolve) => setImmediate(resolve))

// spec: sending/copies
test('a dispatcher never has more pushes in flight than its limit allows', async () => {
  const window = openWindow(8)
  const entered = await ask(window, 'fcm', 'prompt', 20)
  expect(entered()).toBe(8)
  window.leave('fcm', 'prompt')
  await settle()
  expect(entered()).toBe(9)
  expect(window.held).toBe(8)
})

// spec: sending/lanes
test('large sends leave a quarter of the pushes in flight to small sends', async () => {
  const window = openWindow(8)
  const bulk = await ask(window, 'fcm', 'bulk', 20)
  expect(bulk()).toBe(6)
  const prompt = await ask(window, 'fcm', 'prompt', 20)
  expect(prompt()).toBe(2)
})

test('while pushes to two providers wait, neither gets a place for more than a quarter of the pushes in flight', async () => {
  const window = openWindow(8)
  const first = await ask(window, 'fcm', 'prompt', 20)
  expect(first()).toBe(8)
  const second = await ask(window, 'apns production', 'prompt', 20)
  for (let n = 0; n < 8; n += 1) window.leave('fcm', 'prompt')
  await settle()
  expect([first() - 8, second()]).toEqual([2, 2])
})

test('when only one provider has work left, it may have all pushes in flight again', async () => {
  const window = openWindow(8)
  const first = await ask(window, 'fcm', 'prompt', 20)
  const second = await ask(window, 'web push.example', 'prompt', 1)
  for (let n = 0; n < 8; n += 1) window.leave('fcm', 'prompt')
  await settle()
  expect([first(), second()]).toEqual([10, 1])
  window.leave('web push.example', 'prompt')
  await settle()
  expect(first()).toBe(16)
})

test('a push of the prompt lane goes before a push of the bulk lane that has waited longer', async () => {
  const window = openWindow(4)
  await ask(window, 'fcm', 'prompt', 4)
  const bulk = await ask(window, 'fcm', 'bulk', 1)
  const prompt = await ask(window, 'fcm', 'prompt', 1)
  window.leave('fcm', 'prompt')
  await settle()
  expect([prompt(), bulk()]).toEqual([1, 0])
})

// spec: sending/turns
test('when one app floods a provider, another app’s push goes after at most one push of the flood', async () => {
  const window = openWindow(4)
  const first = await ask(window, 'fcm', 'prompt', 4)
  const order: string[] = []
  const enter = (appId: string) => window.enter('fcm', 'prompt', never, appId).then(() => order.push(appId))
  const waiting = [...Array(20).fill('flood'), 'other'].map(enter)
  for (let n = 0; n < 4; n += 1) window.leave('fcm', 'prompt')
  await settle()
  expect(first()).toBe(4)
  expect(order).toEqual(['flood', 'other', 'flood', 'flood'])
  for (let n = 0; n < 17; n += 1) window.leave('fcm', 'prompt')
  await Promise.all(waiting)
})

test('a push that gives up waiting counts neither as in flight nor as work for its provider', async () => {
  const window = openWindow(4)
  const first = await ask(window, 'fcm', 'prompt', 4)
  const abort = new AbortController()
  const waiting = window.enter('web push.example', 'prompt', abort.signal)
  abort.abort()
  expect(await waiting).toBe(false)
  expect(await window.enter('fcm', 'prompt', abort.signal)).toBe(false)
  for (let n = 0; n < 4; n += 1) window.leave('fcm', 'prompt')
  const again = await ask(window, 'fcm', 'prompt', 4)
  expect([first(), again(), window.held]).toEqual([4, 4, 4])
})

test.each([1, 2, 3, 5])('a limit of %i pushes in flight lets pushes of every lane and provider through', async (size) => {
  const window = openWindow(size)
  const counts = await Promise.all([ask(window, 'a', 'bulk', 10), ask(window, 'b', 'prompt', 10), ask(window, 'c', 'bulk', 10)])
  const given = { a: 0, b: 0, c: 0 }
  for (let left = 30; left > 0;) {
    const now = { a: counts[0]() - given.a, b: counts[1]() - given.b, c: counts[2]() - given.c }
    for (const origin of ['a', 'b', 'c'] as const) {
      for (let n = 0; n < now[origin]; n += 1) window.leave(origin, origin === 'b' ? 'prompt' : 'bulk')
      given[origin] += now[origin]
    }
    const moved = now.a + now.b + now.c
    expect(moved).toBeGreaterThan(0)
    left -= moved
    await settle()
  }
  expect(given).toEqual({ a: 10, b: 10, c: 10 })
  expect(window.held).toBe(0)
})
