import { expect, test } from 'vitest'
import { momentOf, momentText } from './moments.ts'

test('a moment goes through its field and comes back to the minute, whatever the reader’s zone', () => {
  const at = '2026-02-06T15:04:00.000Z'
  expect(momentOf(momentText(at))).toBe(at)
  expect(momentText(at)).toMatch(/^2026-02-0[67]T\d\d:\d\d$/)
})

test('an empty or broken field is no moment', () => {
  expect([momentText(undefined), momentOf(''), momentOf('soon')]).toEqual(['', undefined, undefined])
})
