import { expect, onTestFinished, test, vi } from 'vitest'
import { fuzzClient, fuzzServer, type FuzzCount } from './testing/fuzz.ts'
import { randomFrom } from './testing/random.ts'

vi.setConfig({ testTimeout: 900_000 })

const sequences = 100_000

test.each([
  ['client', fuzzClient],
  ['server', fuzzServer],
])('100,000 mutated byte sequences against the %s: no crash, one reply each, the right codes, bounded memory', async (_, fuzz) => {
  const count: FuzzCount = { sequences: 0, codes: new Map() }
  const before = process.memoryUsage().rss
  // Nearly every sequence ends in an error of ours, and writing down where costs a seventh of the time. The seed says it as well.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  onTestFinished(() => void (Error.stackTraceLimit = stackTraceLimit))
  // A seed of its own per sequence: a failure names the one to repeat.
  for (let seed = 0; seed < sequences; seed++) {
    // The immediates and timers of the connections get their turn, as they would.
    if (seed % 500 === 0) await new Promise((resolve) => setImmediate(resolve))
    try {
      fuzz(randomFrom(seed), count)
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error })
    }
  }
  expect(count.sequences).toBe(sequences)
  // Mutations reach every kind of mistake.
  expect([...count.codes.keys()].filter((code) => code !== 0).toSorted((a, b) => a - b)).toEqual(expect.arrayContaining([1, 3, 5, 6, 9]))
  expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000)
})
