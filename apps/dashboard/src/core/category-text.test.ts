import { expect, test } from 'vitest'
import { idOfName } from './category-id.ts'
import { whoIsIn, whyIn } from './category-text.ts'

// spec: dashboard/categories
test('a category says who is in it, and a person why they are in it or not', () => {
  const [offers, beta, security] = [{ default: 'in' }, { default: 'out' }, { default: 'in', locked: true }] as const
  expect([offers, beta, security].map(whoIsIn)).toEqual([
    'Everybody, until they leave it.',
    'Only people who have joined it.',
    'Everybody, and nobody can leave it.',
  ])
  expect(whyIn(offers, undefined)).toBe('No own choice: in it, as everybody is.')
  expect(whyIn(beta, undefined)).toBe('No own choice: not in it.')
  expect(whyIn(offers, false)).toBe('Left it.')
  expect(whyIn(beta, true)).toBe('Joined.')
  // A choice from before the category was locked does not hold.
  expect(whyIn(security, false)).toBe('Locked: everybody gets it.')
})

test('the id of a category is proposed from its name, in the form that Herald takes', () => {
  const proposed = ['News & offers', ' Épargne ', '2 for 1!', 'x'.repeat(40), 'ニュース'].map(idOfName)
  expect(proposed).toEqual(['news-offers', 'epargne', '2-for-1', 'x'.repeat(32), ''])
})
