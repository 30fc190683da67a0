import { expect, test, vi } from 'vitest'
import { endWait, isWaiting, waitForSession, watchRenewal } from './renewal.ts'

// spec: dashboard/session-ended
test('requests that are refused because the session has ended wait for one dialog, and are sent again together', async () => {
  const told = vi.fn<() => void>()
  const stop = watchRenewal(told)
  const waiting = [waitForSession(), waitForSession()]
  expect(isWaiting()).toBe(true)
  expect(told).toHaveBeenCalledTimes(1)
  endWait(true)
  expect(await Promise.all(waiting)).toEqual([true, true])
  expect(isWaiting()).toBe(false)
  stop()
})

test('when the operator closes the dialog the waiting requests fail, and the next refused request opens the dialog again', async () => {
  const first = waitForSession()
  endWait(false)
  expect(await first).toBe(false)
  const second = waitForSession()
  expect(isWaiting()).toBe(true)
  endWait(true)
  expect(await second).toBe(true)
})
