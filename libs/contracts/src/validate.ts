import type { z } from 'zod'
import { fault, type FaultCode, type FaultDetail } from './fault.ts'

type Issue = z.core.$ZodIssue
type RawIssue = z.core.$ZodRawIssue

/** At most this many mistakes are listed in an answer: a hostile body could contain hundreds of thousands. */
const maxDetails = 50

/**
 * An object with more fields is refused before a schema reads it: a schema takes 5 µs for each unknown field, and 512 KiB hold 60,000. The most that
 * any schema takes are 101, the locales of a content map.
 */
const maxFields = 1_000
/** The same for lists; the longest that any schema takes has 1,000 items. */
const maxItems = 10_000

/** A body nested deeper than this is refused before recursive code reads it. No schema is nested as deep. */
const maxDepth = 64

/**
 * Parses a request body, or throws a Fault with a path and a sentence for each mistake: `invalid_body`, or `invalid_segment` when only a segment's
 * meaning is wrong. `at` is put before every path (`['query']`).
 */
export function parseBody<T extends z.ZodType>(schema: T, body: unknown, at: string[] = []): z.output<T> {
  const forbidden = findForbidden(body)
  if (forbidden !== undefined) throw invalid('invalid_body', [{ path: pathOf([...at, ...forbidden.path]), message: forbidden.message }])
  const parsed = schema.safeParse(body, { error: sentenceFor })
  if (parsed.success) return parsed.data
  const onlyMeaning = parsed.error.issues.every((issue) => issue.code === 'custom' && issue.params?.['fault'] === 'invalid_segment')
  throw invalid(onlyMeaning ? 'invalid_segment' : 'invalid_body', firstDetails(parsed.error.issues, at))
}

/** Makes the Fault: a single mistake becomes the message; of several mistakes the message gives the first and how many others are listed. */
function invalid(code: FaultCode, details: FaultDetail[]) {
  const [first] = details
  const summary = first === undefined ? 'The body is not valid.' : `${first.path === '' ? 'The body' : first.path} ${first.message}`
  return fault(code, details.length > 1 ? `${summary} (and ${details.length - 1} more)` : summary, details)
}

/** Writes a path. It is cut, because keys come from the client and may be of any length; the client only has to find the place of the mistake. */
const pathOf = (path: readonly PropertyKey[]): string => path.map(String).join('.').slice(0, 300)

/** Gives the first details, one per path: the first of a path says what to do, and the others often follow from it. */
function firstDetails(issues: readonly Issue[], at: readonly PropertyKey[]): FaultDetail[] {
  const byPath = new Map<string, FaultDetail>()
  for (const issue of issues) {
    for (const detail of detailsOf(issue, at)) {
      if (!byPath.has(detail.path)) byPath.set(detail.path, detail)
      if (byPath.size === maxDetails) return [...byPath.values()]
    }
  }
  return [...byPath.values()]
}

/**
 * Gives the details of zod's issue. Zod reports unknown keys at their object and a union's misfit at the union; clients get the key's path, and the
 * mistake in the form that the value resembles most.
 */
function detailsOf(issue: Issue, at: readonly PropertyKey[]): FaultDetail[] {
  const path = [...at, ...issue.path]
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, maxDetails).map((key) => ({ path: pathOf([...path, key]), message: 'is not a known field' }))
  if (issue.code === 'invalid_key') return issue.issues.slice(0, 1).map((inner) => ({ path: pathOf(path), message: inner.message }))
  if (issue.code === 'invalid_union' && issue.message === unionSentence) {
    const closest = issue.errors.toSorted((one, other) => depthOf(other) - depthOf(one) || one.length - other.length)[0]
    if (closest !== undefined && depthOf(closest) > 0) return closest.flatMap((inner) => detailsOf(inner, path))
  }
  return [{ path: pathOf(path), message: issue.message }]
}

const depthOf = (issues: Issue[]): number => Math.max(0, ...issues.map((issue) => issue.path.length))

const unionSentence = 'has none of the forms allowed here'

const kinds: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['number', 'a finite number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['null', 'null'],
])

/**
 * Writes zod's issue as a sentence that follows the path of the field and says what to send instead. When a schema gives a message, that message is
 * used.
 */
function sentenceFor(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${kinds.get(issue.expected) ?? issue.expected}`
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : mustBeOneOf(issue.values.map((value) => JSON.stringify(value) ?? String(value)))
    case 'too_small':
      return `must ${amount(issue.origin, 'least', issue.inclusive === false, issue.minimum)}`
    case 'too_big':
      return `must ${amount(issue.origin, 'most', issue.inclusive === false, issue.maximum)}`
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return 'holds an unknown field'
    case 'invalid_format':
      return 'does not have the required form'
    case 'invalid_union':
      return unionMessage(issue)
    default:
      return undefined
  }
}

const mustBeOneOf = (values: string[]): string => (values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`)

function unionMessage(issue: RawIssue): string {
  const { discriminator, options, input } = issue
  if (typeof discriminator !== 'string' || !Array.isArray(options)) return unionSentence
  const given = typeof input === 'object' && input !== null && Object.hasOwn(input, discriminator)
  return given
    ? mustBeOneOf(options.map((option) => JSON.stringify(option)))
    : `is required: ${options.map((option) => JSON.stringify(option)).join(', ')}`
}

function amount(origin: string, end: 'least' | 'most', exclusive: boolean, limit: number | bigint): string {
  if (origin === 'array' || origin === 'set') return `hold at ${end} ${limit} items`
  if (origin === 'string') return `be at ${end} ${limit} characters`
  if (exclusive) return end === 'least' ? `be more than ${limit}` : `be less than ${limit}`
  return `be at ${end} ${limit}`
}

/**
 * Finds what is refused before a schema reads the body: a key `__proto__`, which zod drops silently, too many fields or items, and deep nesting. Its
 * own stack keeps 100,000 brackets from overflowing the call stack.
 */
function findForbidden(body: unknown): { path: string[]; message: string } | undefined {
  type Place = { value: object; depth: number; key: string; parent: Place | undefined }
  const pathTo = (place: Place | undefined): string[] => (place?.parent === undefined ? [] : [...pathTo(place.parent), place.key])
  const stack: Place[] = typeof body === 'object' && body !== null ? [{ value: body, depth: 0, key: '', parent: undefined }] : []
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    if (place.depth > maxDepth) return { path: pathTo(place).slice(0, 3), message: `must be nested at most ${maxDepth} levels deep` }
    if (Object.hasOwn(place.value, '__proto__')) return { path: [...pathTo(place), '__proto__'], message: 'is not an allowed name' }
    const fields = Object.entries(place.value)
    const [most, what] = Array.isArray(place.value) ? [maxItems, 'items'] : [maxFields, 'fields']
    if (fields.length > most) return { path: pathTo(place).slice(0, 3), message: `must hold at most ${most} ${what}` }
    for (const [key, value] of fields) {
      if (typeof value === 'object' && value !== null) stack.push({ value, depth: place.depth + 1, key, parent: place })
    }
  }
  return undefined
}
