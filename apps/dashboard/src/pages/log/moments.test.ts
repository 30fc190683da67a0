import { expect, test } from 'vitest'
import { momentOf, momentText } from './moments.ts'

test("a time in the field is the same time, to the minute, in the browser's zone", () => {
  const at = '2026-02-06T15:04:00.000Z'
  expect(momentOf(momentText(at))).toBe(at)
  expect(momentText(at)).toMatch(/^2026-02-0[67]T\d\d:\d\d$/)
})

test('an empty field and a broken text give no time', () => {
  expect([momentText(undefined), momentOf(''), momentOf('soon')]).toEqual(['', undefined, undefined])
})
