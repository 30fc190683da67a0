import { expect, test } from 'vitest'
import { FinishBatch, shortenAnswers, spellAnswers } from './batch.ts'
import { newId } from './ids.ts'

const finish = (seen: string) => ({
  ...{ batchId: newId(), takes: 1, environments: [], unsent: [], dead: [], retries: [] },
  answers: [{ environment: 'production', seen, code: null }],
})

test('answers travel as runs and are the same letters again', () => {
  for (const letters of ['', 's', 'ss', 's'.repeat(500), 'ssgsscuuuaw', `${'u'.repeat(19)}s${'u'.repeat(12)}`]) {
    expect(spellAnswers(shortenAnswers(letters))).toBe(letters)
    expect(FinishBatch.safeParse(finish(shortenAnswers(letters))).success).toBe(true)
  }
  expect(shortenAnswers('s'.repeat(500))).toBe('s500')
})

test('a finish of 500 pushes to known devices is a few hundred bytes', () => {
  expect(JSON.stringify(finish(shortenAnswers('s'.repeat(500)))).length).toBeLessThan(300)
})

test('more answers than a batch can have are refused, however short they are written', () => {
  expect(FinishBatch.safeParse(finish('s1000')).success).toBe(true)
  for (const seen of ['s1001', 's999g2', 's99999', 'x5', '5s', 's-1']) expect(FinishBatch.safeParse(finish(seen)).success).toBe(false)
})
