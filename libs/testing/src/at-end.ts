import { afterAll } from 'vitest'

const closers: (() => unknown)[] = []

/**
 * Closes something when the test file is done; what was given last is closed first. There is one `afterAll` in this module and not one in each call, because
 * vitest does not run an `afterAll` that is registered while a `beforeAll` runs.
 */
export const atEnd = (close: () => unknown): void => void closers.push(close)

afterAll(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})
