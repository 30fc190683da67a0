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

test('what to do about a failure is what the provider check says', () => {
  for (const code of failureCodes) expect(remedies[code].todo).toBe(remedyOf('apns', code, null))
})

test('what does not repair itself says what to do, but for what a person did', () => {
  const asked = [...failureCodes, ...skipReasons].filter((code) => !remedies[code].repairsItself && remedies[code].todo === null)
  expect(asked).toEqual(['cancelled'])
})

test('a code that is not in the table is answered, not left out', () => {
  expect(remedyFor('brand_new')).toMatchObject({ repairsItself: false })
  expect(remedyFor('constructor').means).toBe('This version does not know the code yet.')
})
