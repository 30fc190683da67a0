import { expect, onTestFinished, test } from 'vitest'
import { fuzzClient, fuzzServer, type FuzzCount } from './testing/fuzz.ts'
import { randomFrom } from './testing/random.ts'

/** Each run sends 20,000 new sequences to the client and as many to the server; `npm run fuzz:http2` sends 10,000,000 in all. */
const sequences = 20_000
const firstSeed = Math.floor(Math.random() * 1_000_000_000)

test.each([
  ['client', fuzzClient],
  ['server', fuzzServer],
])('20,000 byte sequences, most of them broken, to the %s: no crash, only allowed codes, under 400 MB more memory', async (_, fuzz) => {
  const count: FuzzCount = { sequences: 0, codes: new Map() }
  const before = process.memoryUsage().rss
  // Nearly every sequence ends in an error, and noting its stack costs a seventh of the time. The seed is enough to find the place.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  onTestFinished(() => void (Error.stackTraceLimit = stackTraceLimit))
  // Each sequence has its own seed, so that a failure names the sequence to repeat.
  for (let seed = firstSeed; seed < firstSeed + sequences; seed++) {
    // Lets the immediates and timers of the connections run, as in a running process.
    if (seed % 500 === 0) await new Promise((resolve) => setImmediate(resolve))
    try {
      fuzz(randomFrom(seed), count)
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error })
    }
  }
  expect(count.sequences).toBe(sequences)
  // The sequences must have caused every kind of mistake except a flood (ENHANCE_YOUR_CALM, 11).
  expect([...count.codes.keys()].filter((code) => code !== 0).toSorted((a, b) => a - b)).toEqual(expect.arrayContaining([1, 3, 5, 6, 9]))
  expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000)
})
