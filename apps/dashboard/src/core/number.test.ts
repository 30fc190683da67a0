import { expect, test } from 'vitest'
import { countText, percentText } from './number.ts'

test('thousands are separated by commas', () => expect(countText(1_234_567)).toBe('1,234,567'))

// spec: dashboard/few-are-not-none
test.each([
  [0, 0, '–'],
  [0, 10, '0 %'],
  [10, 10, '100 %'],
  [1, 3, '33.3 %'],
  [1, 100_000, '< 0.1 %'],
  [99_999, 100_000, '> 99.9 %'],
])('%i of %i is shown as "%s": never 0 %% for some, never 100 %% for less than all', (value, of, told) =>
  expect(percentText(value, of)).toBe(told),
)
