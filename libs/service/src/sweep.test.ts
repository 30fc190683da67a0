import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { expect, test, vi } from 'vitest'
import { databaseUnavailable } from '@herald/contracts/fault'
import type { DatabaseWatch } from './health.ts'
import { startSweep } from './sweep.ts'

function givenWatch(up: boolean) {
  let waiting: (() => void)[] = []
  const state = { up, waits: 0 }
  const watch: DatabaseWatch = {
    get up() {
      return state.up
    },
    guard: (work) => (state.up ? work() : Promise.reject(databaseUnavailable())),
    whenUp: () => {
      state.waits += 1
      return state.up ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))
    },
    onReturn: () => undefined,
    onAway: () => undefined,
  }
  return {
    watch,
    state,
    comeBack: () => {
      state.up = true
      for (const resolve of waiting) resolve()
      waiting = []
    },
  }
}

test('a sweep asked to look while the database is away does not, and looks when it is back', async () => {
  const service = testService('audience', {})
  const { watch, state, comeBack } = givenWatch(false)
  let looks = 0
  const sweeper = startSweep(service, watch, 'due', async () => {
    looks += 1
    return { took: 0 }
  })
  for (let turn = 0; turn < 20; turn += 1) {
    sweeper.poke()
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect([looks, state.waits]).toEqual([0, 1])

  comeBack()
  await until(() => looks > 0)
  await service.stop()
})

test('a sweep stops with its service while the database is away', async () => {
  const service = testService('audience', {})
  startSweep(service, givenWatch(false).watch, 'due', () => Promise.reject(new Error('nobody should look')))
  await expect(service.stop()).resolves.not.toThrow()
})

test('a sweep that is asked to look for rows while it is looking looks again at once', async () => {
  const service = testService('audience', {})
  let looks = 0
  const sweeper = startSweep(service, givenWatch(true).watch, 'due', async () => {
    looks += 1
    if (looks > 1 && looks < 50) sweeper.poke()
    return { took: 0 }
  })
  sweeper.poke()
  // With a pause of a second after each look this would take fifty seconds.
  await until(() => looks === 50, { withinMs: 20_000 })
  expect(looks).toBe(50)
  await service.stop()
})

test('a sweep that finds nothing looks ever less, at last every five seconds, and soon after being stirred', async () => {
  vi.useFakeTimers()
  try {
    const service = testService('audience', {})
    let looks = 0
    const sweeper = startSweep(service, givenWatch(true).watch, 'due', async () => {
      looks += 1
      return { took: 0 }
    })
    const looksWithin = async (ms: number) => {
      const before = looks
      await vi.advanceTimersByTimeAsync(ms)
      return looks - before
    }
    expect(looks).toBe(1)
    // After pauses of 1, 2, 3, 4 and 5 seconds.
    expect(await looksWithin(15_000)).toBe(5)
    expect(await looksWithin(20_000)).toBe(4)

    sweeper.stir()
    expect(await looksWithin(1_000)).toBe(1)
    sweeper.poke()
    expect(await looksWithin(0)).toBe(1)
    await Promise.all([service.stop(), vi.runAllTimersAsync()])
  } finally {
    vi.useRealTimers()
  }
})

test('while a row is planned a sweep looks each second, and when the row is due', async () => {
  vi.useFakeTimers()
  try {
    const service = testService('audience', {})
    const dueAt = performance.now() + 20_500
    let [looks, found] = [0, 0]
    startSweep(service, givenWatch(true).watch, 'due', async () => {
      looks += 1
      const nextInMs = dueAt - performance.now()
      if (found > 0 || nextInMs > 0) return { took: 0, nextInMs: Math.max(nextInMs, 0) }
      found = looks
      return { took: 1 }
    })
    await vi.advanceTimersByTimeAsync(20_499)
    expect([looks, found]).toEqual([21, 0])
    await vi.advanceTimersByTimeAsync(1)
    expect(found).toBe(22)
    await Promise.all([service.stop(), vi.runAllTimersAsync()])
  } finally {
    vi.useRealTimers()
  }
})
