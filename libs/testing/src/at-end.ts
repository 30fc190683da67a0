import { afterAll } from 'vitest'

const closers: (() => unknown)[] = []

/**
 * Closes something at the end of the test file; what was given last is closed first. All calls share one `afterAll`, because vitest does not run an
 * `afterAll` that is registered while a `beforeAll` runs.
 */
export const atEnd = (close: () => unknown): void => void closers.push(close)

afterAll(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})
