import { expect, test } from 'vitest'
import { runOn, type Runtime } from './testing/runtimes.ts'

/** The number of tests in testing/suite.ts. With fewer results, some did not run. */
const promises = 24

test.each<Runtime>(['node-24', 'node-20'])(
  'the built package passes on %s all tests that the SDK has for every runtime',
  async (runtime) => {
    const results = await runOn(runtime)

    expect(results.filter(({ ok }) => !ok)).toEqual([])
    expect(results).toHaveLength(promises)
  },
  300_000,
)
