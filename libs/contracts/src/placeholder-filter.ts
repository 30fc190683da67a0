import { countCodePoints, firstCodePoints } from './text.ts'
import { formatDate, type Value, type FilterContext } from './placeholder-date.ts'

type Filter = { least: number; most: number; apply: (value: Value, args: Value[], context: FilterContext) => Value }

const isMissing = (value: Value): value is null | undefined => value === null || value === undefined

const toText = (value: Value): string => (isMissing(value) ? '' : String(value))

/** Reads a number. As in Liquid, a value that is not a number counts as 0. */
function toNumber(value: Value): number {
  const number = Number(value ?? 0)
  return Number.isNaN(number) ? 0 : number
}

const arithmetic = (calculate: (left: number, right: number) => number): Filter => ({
  least: 1,
  most: 1,
  apply: (value, [right]) => finite(calculate(toNumber(value), toNumber(right))),
})

/** Makes an infinite number a missing value, so that the filter `default` applies and no push shows `Infinity`. */
const finite = (number: number): number | undefined => (Number.isFinite(number) ? number : undefined)

const plain = (change: (text: string) => string): Filter => ({ least: 0, most: 0, apply: (value) => change(toText(value)) })

const filters = {
  default: {
    least: 1,
    most: 1,
    apply: (value, [instead]) => (isMissing(value) || value === false || value === '' ? instead : value),
  },
  upcase: plain((text) => text.toUpperCase()),
  downcase: plain((text) => text.toLowerCase()),
  capitalize: plain((text) => {
    const first = firstCodePoints(text, text === '' ? 0 : 1)
    return first.toUpperCase() + text.slice(first.length).toLowerCase()
  }),
  strip: plain((text) => text.trim()),
  truncate: {
    least: 0,
    most: 2,
    apply: (value, [length, ending]) =>
      truncate(value, length === undefined ? 50 : toNumber(length), toText(ending === undefined ? '...' : ending)),
  },
  date: {
    least: 0,
    most: 2,
    apply: (value, [format, zone], context) => formatDate(value, isMissing(format) ? undefined : toText(format), toText(zone), context),
  },
  plus: arithmetic((left, right) => left + right),
  minus: arithmetic((left, right) => left - right),
  times: arithmetic((left, right) => left * right),
  divided_by: arithmetic((left, right) => left / right),
  round: { least: 0, most: 1, apply: (value, [digits]) => round(toNumber(value), toNumber(digits)) },
  url_encode: {
    least: 0,
    most: 0,
    apply: (value, _, { most }) => encodeUpTo(toText(value), most).replaceAll('%20', '+'),
  },
} satisfies Record<string, Filter>

export type FilterName = keyof typeof filters
export const filterNames = Object.keys(filters) as FilterName[]

export const isFilterName = (name: string): name is FilterName => Object.hasOwn(filters, name)

/** Gives how many arguments a filter takes. */
export const filterArity = (name: FilterName): { least: number; most: number } => filters[name]

/** Applies a filter as Liquid does (placeholder-oracle.test.ts lists the differences). Lengths count code points, so no code point is cut in half. */
export const applyFilter = (name: FilterName, value: Value, args: Value[], context: FilterContext): Value =>
  filters[name].apply(value, args, context)

/** How many characters are percent-encoded at a time. */
const encodedAtOnce = 256

/** Percent-encodes a text, at least as far as `most` characters of the result reach. A letter of Chinese takes nine of them. */
export function encodeUpTo(text: string, most: number): string {
  const whole = text.toWellFormed()
  if (whole.length <= encodedAtOnce) return encodeURIComponent(whole)
  let encoded = ''
  for (let at = 0; at < whole.length && encoded.length <= most;) {
    const part = firstCodePoints(whole.slice(at, at + 2 * encodedAtOnce), encodedAtOnce)
    encoded += encodeURIComponent(part)
    at += part.length
  }
  return encoded
}

/** Shortens a text. A value that is short enough keeps its type, so that `false` is still false for a `default` that follows. */
function truncate(value: Value, length: number, ending: string): Value {
  const text = toText(value)
  const most = Math.ceil(length)
  if (text === '' || hasAtMost(most, text)) return value
  return firstCodePoints(text, hasAtMost(most, ending) ? most - countCodePoints(ending) : 0) + ending
}

/** Whether a text has at most so many code points. Only as many pairs of units are looked for as it has units too many. */
function hasAtMost(most: number, text: string): boolean {
  let tooMany = text.length - most
  if (tooMany > text.length / 2) return false
  for (let at = 0; tooMany > 0 && at < text.length; at += 1) if ((text.charCodeAt(at) & 0xfc00) === 0xd800) tooMany -= 1
  return tooMany <= 0
}

/** Rounds half away from zero. The point is moved in the number's decimal text, because 1.005 * 100 is 100.49999999999999. */
function round(number: number, digits: number): number | undefined {
  const scaled = movePoint(Math.abs(number), digits)
  if (!(scaled <= Number.MAX_SAFE_INTEGER)) return finite(number)
  const rounded = movePoint(Math.round(scaled), -digits)
  return finite(number < 0 ? -rounded : rounded)
}

function movePoint(number: number, places: number): number {
  const [digits = '', exponent = '0'] = String(number).split('e')
  return Number(`${digits}e${Number(exponent) + places}`)
}
