import { platforms } from '@herald/contracts/platform'
import { operatorsOf, type SegmentOperator } from '@herald/contracts/segment'
import type { FieldType } from '@herald/contracts/segment-tree'

/** A list holds at most this many values (spec: segments/lists). */
export const maxListed = 500

export const isList = (op: string): boolean => op === 'in' || op === 'nin'

/** Gives the operator and the value with which a new condition on a field of this type begins. */
export function firstCondition(type: FieldType): { op: SegmentOperator; value: unknown } {
  switch (type) {
    case 'platform':
      return { op: 'in', value: [...platforms] }
    case 'boolean':
      return { op: 'eq', value: true }
    case 'number':
      return { op: 'gte', value: 1 }
    case 'date':
      return { op: 'gte', value: '-14d' }
    case 'tag':
      return { op: 'exists', value: true }
    case 'version':
      return { op: 'gte', value: '1.0' }
    default:
      return { op: 'in', value: [] }
  }
}

/** Gives the value of a condition after its operator was changed. The typed value stays as far as the new operator can use it. */
export function valueFor(type: FieldType | undefined, op: string, before: unknown): unknown {
  const listed: unknown[] = Array.isArray(before) ? before : []
  if (op === 'exists') return typeof before === 'boolean' ? before : true
  if (isList(op)) {
    if (Array.isArray(before)) return before
    if (before === null || before === '' || (typeof before === 'boolean' && type !== 'tag' && type !== 'boolean')) return []
    return [before]
  }
  const single = Array.isArray(before) ? listed[0] : before
  if (op === 'contains' || op === 'startsWith') return typeof single === 'string' || typeof single === 'number' ? String(single) : ''
  if (type === undefined) return single ?? ''
  if (fits(type, single)) return single
  return type === 'tag' || type === 'string' || type === 'language' || type === 'zone' || type === 'country' || type === 'id'
    ? ''
    : firstSingle(type)
}

const firstSingle = (type: FieldType): unknown => {
  const { value } = firstCondition(type)
  return Array.isArray(value) ? value[0] : value
}

function fits(type: FieldType, value: unknown): boolean {
  if (type === 'tag') return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  if (type === 'number') return typeof value === 'number'
  if (type === 'boolean') return typeof value === 'boolean'
  return typeof value === 'string'
}

/**
 * The types of fields whose values are texts. When a condition's field changes from one of these types to another, the typed text is kept, because
 * the operator may still mean it.
 */
const texts: readonly (FieldType | undefined)[] = ['string', 'tag', 'language', 'zone', 'country']

/** Gives the operator and the value of a condition after its field was changed from one of the type `from` to one of another type. */
export function conditionFor(
  from: FieldType | undefined,
  type: FieldType | undefined,
  op: string,
  value: unknown,
): { op: string; value: unknown } {
  if (type === undefined || type === from) return { op, value }
  const isKnown = operatorsOf[type].some((known) => known === op)
  const single: unknown = Array.isArray(value) ? (value as unknown[])[0] : value
  const keeps = isKnown && (op === 'exists' || (texts.includes(from) && texts.includes(type) && fits(type, single)))
  return keeps ? { op, value: valueFor(type, op, value) } : firstCondition(type)
}

export type TagKind = 'text' | 'number' | 'boolean'

/**
 * Gives the first value for comparing a tag, of the type that the tag has among users, because another type would match nobody. Undefined for a tag
 * whose values are texts or of several types.
 */
export function firstOfTag(tag: { type: string; values: readonly string[] } | undefined): string | number | boolean | undefined {
  if (tag?.type === 'boolean') return true
  return tag?.type === 'number' ? (asKind(tag.values[0] ?? '', 'number') ?? 0) : undefined
}

/** Gives the type of a tag's value. A tag is compared only with values of its own type (spec: segments/tag-types). */
export function kindOf(value: unknown): TagKind {
  const single: unknown = Array.isArray(value) ? (value as unknown[])[0] : value
  return typeof single === 'number' ? 'number' : typeof single === 'boolean' ? 'boolean' : 'text'
}

/** Converts a tag's value to another type; undefined when that is impossible. */
export function asKind(value: unknown, kind: TagKind): string | number | boolean | undefined {
  const text = typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
  if (kind === 'text') return text
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  const number = Number(text)
  return text.trim() !== '' && Number.isFinite(number) ? number : undefined
}

/**
 * What was read from a pasted list. `values`: the new values. `repeated`: how many were already there. `unfit`: the texts that are no value of the
 * type. `tooMany`: for how many the list has no room.
 */
export type Pasted = { values: (string | number | boolean)[]; repeated: number; unfit: string[]; tooMany: number }

/**
 * Reads values from pasted text, separated by line ends, commas, semicolons or tabs, which a value in double quotes may contain. A repeated value is
 * taken once. A text that is no value of this type goes to `unfit`.
 */
export function readPasted(text: string, kind: TagKind, known: readonly unknown[] = []): Pasted {
  const pasted: Pasted = { values: [], repeated: 0, unfit: [], tooMany: 0 }
  const seen = new Set<unknown>(known)
  for (const piece of splitValues(text)) {
    const value = asKind(piece, kind)
    if (value === undefined) pasted.unfit.push(piece)
    else if (seen.has(value)) pasted.repeated++
    else if (seen.size >= maxListed) pasted.tooMany++
    else {
      seen.add(value)
      pasted.values.push(value)
    }
  }
  return pasted
}

/** Splits a pasted text into trimmed pieces without empty ones. */
export function splitValues(text: string): string[] {
  const pieces = text.match(/ *"(?:[^"]|"")*" *(?=[\n\r,;\t]|$)|[^\n\r,;\t]+/g) ?? []
  return pieces
    .map((piece) => piece.trim())
    .map((piece) => (piece.length > 1 && piece.startsWith('"') && piece.endsWith('"') ? piece.slice(1, -1).replaceAll('""', '"') : piece))
    .filter((piece) => piece !== '')
}
