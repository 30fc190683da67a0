import { failureCodes, skipReasons } from './outcome.ts'
import { remedyOf } from './remedies.ts'
import { expect, test } from 'vitest'
import { remedies, remedyFor } from './code-meanings.ts'

// spec: dashboard/remedies
test('for every failure code and skip reason Herald says what it means and what Herald does without the operator', () => {
  for (const code of [...failureCodes, ...skipReasons]) {
    const { means, byItself } = remedies[code]
    expect([code, means.endsWith('.'), byItself.endsWith('.')]).toEqual([code, true, true])
  }
  expect(Object.keys(remedies).toSorted()).toEqual([...failureCodes, ...skipReasons].toSorted())
})

test('the remedy of a failure code is the sentence that a provider check answers for the code alone', () => {
  for (const code of failureCodes) expect(remedies[code].todo).toBe(remedyOf('apns', code, null))
})

test('for every code whose cause does not go away by itself, except a cancel, Herald says what to do', () => {
  const asked = [...failureCodes, ...skipReasons].filter((code) => !remedies[code].repairsItself && remedies[code].todo === null)
  expect(asked).toEqual(['cancelled'])
})

test('a code that this version of Herald does not know still gets an explanation', () => {
  expect(remedyFor('brand_new')).toMatchObject({ repairsItself: false })
  expect(remedyFor('constructor').means).toBe('This version does not know the code yet.')
})
