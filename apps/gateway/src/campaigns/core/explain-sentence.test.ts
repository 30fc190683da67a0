import type { StepOf } from '@herald/contracts/explain'
import { expect, test } from 'vitest'
import { sentenceOfEnd } from './explain-sentence.ts'

const outcome = (change: Partial<StepOf<'outcome'>>): StepOf<'outcome'> => ({
  ...{ step: 'outcome', result: 'pass', basis: 'recorded', outcome: 'sent', code: null, providerCode: null },
  ...{ attempts: 1, settledAt: '2026-03-01T10:00:00.000Z' },
  ...change,
})

test('the sentence about a push that was sent names the tries only when there were several', () => {
  expect(sentenceOfEnd([], outcome({}))).toBe('Sent at 2026-03-01T10:00:00.000Z.')
  expect(sentenceOfEnd([], outcome({ attempts: null }))).toBe('Sent at 2026-03-01T10:00:00.000Z.')
  expect(sentenceOfEnd([], outcome({ attempts: 3 }))).toBe('Sent at 2026-03-01T10:00:00.000Z, after 3 tries.')
})

test('the sentence about a push that failed names the tries, the code and the word of the provider', () => {
  const failed = { outcome: 'failed', code: 'token_dead', providerCode: '410 Unregistered' } as const
  expect(sentenceOfEnd([], outcome(failed))).toBe('Failed at 2026-03-01T10:00:00.000Z after 1 try: token_dead (410 Unregistered).')
})
