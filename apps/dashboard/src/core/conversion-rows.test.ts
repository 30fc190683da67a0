import { expect, test } from 'vitest'
import { conversionRows, sumConversions, sumsText } from './conversion-rows.ts'

const counted = (count: number, value: Record<string, string> = {}) => ({ count, direct: count, influenced: 0, users: count, value })

// spec: dashboard/conversions
test('sums of conversions are written exactly, by currency, and what has no currency says so', () => {
  expect(sumsText({ XXX: '30.00', EUR: '1204.5', USD: '-12345678901234567.1234' })).toBe(
    '1,204.5 EUR, −12,345,678,901,234,567.1234 USD, 30.00 without a currency',
  )
  expect(sumsText({})).toBe('')
  expect(conversionRows({ seen: counted(1), order: counted(5) }).map(({ name }) => name)).toEqual(['order', 'seen'])
})

// spec: dashboard/conversions
test('the conversions of several sends add up exactly, and users are not added up', () => {
  const tenth = { order: counted(1, { EUR: '0.1' }) }
  expect(sumConversions([undefined, ...Array.from({ length: 10 }, () => tenth)])).toEqual([
    { name: 'order', count: 10, direct: 10, influenced: 0, users: 0, value: { EUR: '1.00' } },
  ])
  const odd = sumConversions([{ a: counted(1, { EUR: '-0.0001' }) }, { a: counted(2, { EUR: '-2.5' }), b: counted(9) }])
  expect(odd).toMatchObject([{ name: 'b' }, { name: 'a', count: 3, value: { EUR: '-2.5001' } }])
})
