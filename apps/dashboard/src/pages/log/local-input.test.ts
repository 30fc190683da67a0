import { expect, test } from 'vitest'
import { fromLocalInput, toLocalInput } from '../../core/local-input.ts'

test("a time filter shows the browser's zone, to the minute, and the field gives the same time back", () => {
  const at = '2026-02-06T15:04:00.000Z'
  expect(fromLocalInput(toLocalInput(at))).toBe(at)
  expect(toLocalInput(at)).toMatch(/^2026-02-0[67]T\d\d:\d\d$/)
})

test('a filter field that is empty, or whose text is no time, gives no time', () => {
  expect([toLocalInput(''), fromLocalInput(''), fromLocalInput('soon')]).toEqual(['', undefined, undefined])
})
