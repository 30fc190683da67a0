import { expect, test } from 'vitest'
import { fromLocalInput, toLocalInput } from '../../core/local-input.ts'

test("a time goes into the field in the browser's zone, to the minute, and comes out as the same time", () => {
  const at = '2026-02-06T15:04:00.000Z'
  expect(fromLocalInput(toLocalInput(at))).toBe(at)
  expect(toLocalInput(at)).toMatch(/^2026-02-0[67]T\d\d:\d\d$/)
})

test('an empty field, or a text that is no time, gives no time', () => {
  expect([toLocalInput(''), fromLocalInput(''), fromLocalInput('soon')]).toEqual(['', undefined, undefined])
})
