import { expect, test } from 'vitest'
import { FinishBatch, shortenAnswers, spellAnswers } from './batch.ts'
import { newId } from './ids.ts'

const finish = (seen: string) => ({
  ...{ batchId: newId(), appId: newId(), takes: 1, environments: [], unsent: [], dead: [], retries: [] },
  ...{ guarded: [], refused: [], accepted: [], unavailable: [], credentialsVersion: null },
  answers: [{ environment: 'production', seen, code: null }],
})

test('providers’ answers that are shortened for a message are read back unchanged', () => {
  for (const letters of ['', 's', 'ss', 's'.repeat(500), 'ssgsscuuuaw', `${'u'.repeat(19)}s${'u'.repeat(12)}`]) {
    expect(spellAnswers(shortenAnswers(letters))).toBe(letters)
    expect(FinishBatch.safeParse(finish(shortenAnswers(letters))).success).toBe(true)
  }
  expect(shortenAnswers('s'.repeat(500))).toBe('s500')
})

test('the message that finishes a batch of 500 sent pushes takes fewer than 300 bytes', () => {
  expect(JSON.stringify(finish(shortenAnswers('s'.repeat(500)))).length).toBeLessThan(300)
})

test('a message with over 1,000 answers, or answers in a wrong form, is refused, also when shortened', () => {
  expect(FinishBatch.safeParse(finish('s1000')).success).toBe(true)
  for (const seen of ['s1001', 's999g2', 's99999', 'x5', '5s', 's-1']) expect(FinishBatch.safeParse(finish(seen)).success).toBe(false)
})
