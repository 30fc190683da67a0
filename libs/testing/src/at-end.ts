import { afterAll } from 'vitest'

const closers: (() => unknown)[] = []

/**
 * Runs when the test file is done, last given first. One `afterAll` at the top of this module instead of one at each call:
 * vitest does not run an `afterAll` that is registered while a `beforeAll` runs, and what it was to stop would go on running.
 */
export const atEnd = (close: () => unknown): void => void closers.push(close)

afterAll(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})
