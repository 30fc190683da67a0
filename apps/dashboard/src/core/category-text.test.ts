import { expect, test } from 'vitest'
import { idOfName } from './category-id.ts'
import { whoIsIn, whyIn } from './category-text.ts'

// spec: dashboard/categories
test('a category says who is subscribed by default, and a person why they are subscribed or not', () => {
  const [offers, beta, security] = [{ default: 'in' }, { default: 'out' }, { default: 'in', locked: true }] as const
  expect([offers, beta, security].map(whoIsIn)).toEqual([
    'Subscribed by default (opt-out).',
    'Not subscribed by default (opt-in).',
    'Required: nobody can unsubscribe.',
  ])
  expect(whyIn(offers, undefined)).toBe('Default: subscribed.')
  expect(whyIn(beta, undefined)).toBe('Default: not subscribed.')
  expect(whyIn(offers, false)).toBe('Own preference: unsubscribed.')
  expect(whyIn(beta, true)).toBe('Own preference: subscribed.')
  // A choice from before the category was locked does not hold.
  expect(whyIn(security, false)).toBe('Required: nobody can unsubscribe.')
})

test('the id of a category is proposed from its name, in the form that Herald takes', () => {
  const proposed = ['News & offers', ' Épargne ', '2 for 1!', 'x'.repeat(40), 'ニュース'].map(idOfName)
  expect(proposed).toEqual(['news-offers', 'epargne', '2-for-1', 'x'.repeat(32), ''])
})
