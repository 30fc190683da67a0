import type { Stats } from '@herald/contracts/stats'

type Counted = NonNullable<Stats['conversions']>[string]
export type ConversionRow = Counted & { name: string }

/** The code of ISO 4217 for no currency: a value that was reported without one. */
const none = 'XXX'

/** Gives the conversions of a send, the most frequent first. */
export const conversionRows = (conversions: Stats['conversions']): ConversionRow[] =>
  Object.entries(conversions ?? {})
    .map(([name, counted]) => ({ name, ...counted }))
    .toSorted((one, other) => other.count - one.count || one.name.localeCompare(other.name))

/** Writes sums by currency, each exact: "1,204.50 EUR, 30.00 without a currency". */
export const sumsText = (value: Counted['value']): string =>
  Object.entries(value)
    .toSorted(([one], [other]) => Number(one === none) - Number(other === none) || one.localeCompare(other))
    .map(([currency, sum]) => `${grouped(sum)} ${currency === none ? 'without a currency' : currency}`)
    .join(', ')

/** Separates the thousands of an exact decimal number, which may have more digits than a number of JavaScript holds. */
const grouped = (sum: string): string => {
  const [whole = '', ...rest] = sum.replace('-', '−').split('.')
  return [whole.replaceAll(/\B(?=(\d{3})+$)/g, ','), ...rest].join('.')
}

/** Adds up the conversions of several sends by name. Users are left out: one may be in several sends. */
export function sumConversions(all: readonly Stats['conversions'][]): ConversionRow[] {
  const sums = new Map<string, ConversionRow>()
  for (const { name, count, direct, influenced, value } of all.flatMap(conversionRows)) {
    const sum = sums.get(name) ?? { name, count: 0, direct: 0, influenced: 0, users: 0, value: {} }
    sum.count += count
    sum.direct += direct
    sum.influenced += influenced
    for (const [currency, more] of Object.entries(value)) sum.value[currency] = addDecimals(sum.value[currency] ?? '0', more)
    sums.set(name, sum)
  }
  return [...sums.values()].toSorted((one, other) => other.count - one.count || one.name.localeCompare(other.name))
}

const digits = 4
/** Adds two decimal numbers of at most 4 decimals exactly; the sum has 2 to 4. */
function addDecimals(one: string, other: string): string {
  const sum = inUnits(one) + inUnits(other)
  const text = (sum < 0n ? -sum : sum).toString().padStart(digits + 1, '0')
  return `${sum < 0n ? '-' : ''}${text.slice(0, -digits)}.${text.slice(-digits).replace(/0{1,2}$/, '')}`
}
function inUnits(decimal: string): bigint {
  const [whole = '0', part = ''] = decimal.replace('-', '').split('.')
  const units = BigInt(whole + part.padEnd(digits, '0'))
  return decimal.startsWith('-') ? -units : units
}
