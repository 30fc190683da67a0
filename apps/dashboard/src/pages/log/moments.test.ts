import { expect, test } from 'vitest'
import { momentOf, momentText } from './moments.ts'

test("a time goes into the field in the browser's zone, to the minute, and comes out as the same time", () => {
  const at = '2026-02-06T15:04:00.000Z'
  expect(momentOf(momentText(at))).toBe(at)
  expect(momentText(at)).toMatch(/^2026-02-0[67]T\d\d:\d\d$/)
})

test('an empty field, or a text that is no time, gives no time', () => {
  expect([momentText(undefined), momentOf(''), momentOf('soon')]).toEqual(['', undefined, undefined])
})
