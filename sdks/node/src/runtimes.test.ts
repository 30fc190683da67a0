import { expect, test } from 'vitest'
import { runOn, type Runtime } from './testing/runtimes.ts'

/** How many promises the suite has. Fewer would mean that something was left out. */
const promises = 24

test.each<Runtime>(['node-24', 'node-20'])(
  'every promise of the SDK is kept on %s by the package that is published',
  async (runtime) => {
    const results = await runOn(runtime)

    expect(results.filter(({ ok }) => !ok)).toEqual([])
    expect(results).toHaveLength(promises)
  },
  300_000,
)
