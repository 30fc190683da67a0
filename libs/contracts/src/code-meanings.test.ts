import { failureCodes, skipReasons } from './outcome.ts'
import { remedyOf } from './remedies.ts'
import { expect, test } from 'vitest'
import { remedies, remedyFor } from './code-meanings.ts'

// spec: dashboard/remedies
test('every failure code and skip reason says what it means and what Herald does by itself', () => {
  for (const code of [...failureCodes, ...skipReasons]) {
    const { means, byItself } = remedies[code]
    expect([code, means.endsWith('.'), byItself.endsWith('.')]).toEqual([code, true, true])
  }
  expect(Object.keys(remedies).toSorted()).toEqual([...failureCodes, ...skipReasons].toSorted())
})

test('the remedy of a failure is the one that the provider check gives', () => {
  for (const code of failureCodes) expect(remedies[code].todo).toBe(remedyOf('apns', code, null))
})

test('a code that does not repair itself says what to do, except when a user caused it', () => {
  const asked = [...failureCodes, ...skipReasons].filter((code) => !remedies[code].repairsItself && remedies[code].todo === null)
  expect(asked).toEqual(['cancelled'])
})

test('a code that is not in the table gets an answer all the same', () => {
  expect(remedyFor('brand_new')).toMatchObject({ repairsItself: false })
  expect(remedyFor('constructor').means).toBe('This version does not know the code yet.')
})
