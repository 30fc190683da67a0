import { expect, test } from 'vitest'
import { readExperiment, conclusionSentence } from './experiment-reading.ts'

const variants = [
  { id: 'a', name: 'A', weight: 1 },
  { id: 'b', name: 'B', weight: 1 },
]
const counts = (sent: number, opened: number) => ({ sent, failed: 0, skipped: 0, opened, clicked: 0 })

// spec: dashboard/experiment
test('a variant is called better when the interval of its lead over every other variant lies above 0', () => {
  const read = readExperiment(variants, { a: counts(10_000, 1_000), b: counts(10_000, 850) }, 'opened')
  expect(read.conclusion.kind).toBe('better')
  expect(conclusionSentence(read.conclusion, 'opened')).toBe('A is better than B by 0.7 to 2.3 points in opens.')
  expect(read.ratio.ok).toBe(true)
})

test('with few opens no variant is called better, and the sentence gives the interval of the difference', () => {
  const read = readExperiment(variants, { a: counts(100, 10), b: counts(100, 8) }, 'opened')
  expect(read.conclusion.kind).toBe('not_yet')
  expect(conclusionSentence(read.conclusion, 'opened')).toBe(
    'Not yet: the difference in opens between A and B may be anything from −6.3 to 10.4 points.',
  )
})

test('the variants are not compared while there are no counters, or while one variant has none', () => {
  expect(readExperiment(variants, undefined, 'opened').conclusion).toEqual({ kind: 'nothing' })
  expect(readExperiment(variants, { a: counts(10, 1) }, 'opened').conclusion).toEqual({ kind: 'nothing' })
  expect(conclusionSentence({ kind: 'nothing' }, 'clicked')).toBe('Not yet: there are no clicks to compare.')
})

test('a difference that is large enough to call one of two variants better can be too small among four variants', () => {
  const four = [...variants, { id: 'c', name: 'C', weight: 1 }, { id: 'd', name: 'D', weight: 1 }]
  const opens = { a: counts(2_000, 200), b: counts(2_000, 160), c: counts(2_000, 150), d: counts(2_000, 150) }
  expect(readExperiment(variants, opens, 'opened').conclusion.kind).toBe('better')
  expect(readExperiment(four, opens, 'opened').conclusion.kind).toBe('not_yet')
})

// spec: dashboard/experiment
test('the page warns when the variants did not get as many devices as their weights say, whatever was opened', () => {
  expect(readExperiment(variants, { a: counts(10_000, 900), b: counts(9_400, 900) }, 'opened').ratio.ok).toBe(false)
})
