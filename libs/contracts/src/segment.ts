import { isObjectId } from './ids.ts'
import { platforms } from './platform.ts'
import { maxCost, maxValues, openCost } from './segment-cost.ts'
import { isVersion } from './segment-match.ts'
import {
  deviceFields,
  userFields,
  type FieldType,
  type RelativeDate,
  type Segment,
  type SegmentField,
  type SegmentLeaf,
  type SegmentNode,
  type SegmentScalar,
} from './segment-tree.ts'
import { canonicalLanguage, exactSentence, isExact, isStorable, isTagName, parseDay, withPresentCode } from './text.ts'

export { leafAnswers, leavesOf, matches, resolveDate, versionParts } from './segment-match.ts'
export { costOf } from './segment-cost.ts'
export * from './segment-tree.ts'

const maxChildren = 50
const maxDepth = 8
const maxLeaves = 100
const maxListed = 500
const maxTextLength = 1024

export const segmentOperators = ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'exists', 'contains', 'startsWith'] as const
export type SegmentOperator = (typeof segmentOperators)[number]

const equality: SegmentOperator[] = ['eq', 'ne', 'in', 'nin', 'exists']
const order: SegmentOperator[] = ['gt', 'gte', 'lt', 'lte']
const words: SegmentOperator[] = ['contains', 'startsWith']

/** Which operators may be used with a field of each type. */
export const operatorsOf: Record<FieldType, readonly SegmentOperator[]> = {
  platform: equality,
  boolean: equality,
  id: equality,
  string: [...equality, ...words],
  language: [...equality, ...words],
  zone: [...equality, ...words],
  country: [...equality, ...words],
  number: [...equality, ...order],
  date: [...equality, ...order],
  version: [...equality, ...order, ...words],
  tag: [...equality, ...order, ...words],
}

/** How many leaves have been read so far, and what they cost. */
type Seen = { leaves: number; cost: ReturnType<typeof openCost> }

/**
 * Why a segment is refused. `invalid_body`: the value is not a segment, or exceeds a limit. `invalid_segment`: it is a segment that makes no sense,
 * for example with an unknown field (spec: segments/structure-errors, segments/meaning-errors).
 */
export type SegmentRefusal = { ok: false; kind: 'invalid_body' | 'invalid_segment'; path: string; message: string }
export type ParsedSegment = { ok: true; segment: Segment } | SegmentRefusal

class Refused extends Error {
  readonly refusal: SegmentRefusal
  constructor(refusal: SegmentRefusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}
const malformed = (path: string, message: string): Refused => new Refused({ ok: false, kind: 'invalid_body', path, message })
const meaningless = (path: string, message: string): Refused => new Refused({ ok: false, kind: 'invalid_segment', path, message })

/**
 * Parses a segment from JSON into a tree that is easy to compile: names are resolved to fields, and dates are instants or relative seconds. When the
 * value is refused, gives the first mistake with its path below `rootPath` (`segment.and.1.op`).
 */
export function parseSegment(value: unknown, rootPath: string): ParsedSegment {
  if (isPlainObject(value) && Object.keys(value).length === 0) return { ok: true, segment: { is: 'everyone' } }
  try {
    return { ok: true, segment: parseNode(value, rootPath, 1, { leaves: 0, cost: openCost() }) }
  } catch (error) {
    if (error instanceof Refused) return error.refusal
    throw error
  }
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const below = (path: string, step: string | number): string => (path === '' ? String(step) : `${path}.${step}`)

const nodeForms = 'must be a leaf {field, op, value} or one of {and: […]}, {or: […]}, {not: …}'

function parseNode(value: unknown, path: string, depth: number, seen: Seen): SegmentNode {
  if (!isPlainObject(value)) throw malformed(path, nodeForms)
  if (depth > maxDepth) throw malformed(path, `must be nested at most ${maxDepth} levels deep`)
  const keys = Object.keys(value)
  const group = keys.find((key) => key === 'and' || key === 'or' || key === 'not')
  if (group === undefined) return parseLeaf(value, path, seen)
  if (keys.length > 1) throw malformed(path, nodeForms)
  if (group === 'not') return { is: 'not', node: parseNode(value['not'], below(path, 'not'), depth + 1, seen) }
  const children = value[group]
  const groupPath = below(path, group)
  if (!Array.isArray(children) || children.length < 1 || children.length > maxChildren)
    throw malformed(groupPath, `must be a list of 1 to ${maxChildren} nodes`)
  return {
    is: group === 'and' ? 'and' : 'or',
    nodes: children.map((child: unknown, place) => parseNode(child, below(groupPath, place), depth + 1, seen)),
  }
}

function parseLeaf(written: Record<string, unknown>, path: string, seen: Seen): SegmentLeaf {
  const keys = Object.keys(written)
  if (keys.length === 0) throw malformed(path, `${nodeForms}; {} stands only alone and means everyone`)
  for (const key of keys) {
    if (key !== 'field' && key !== 'op' && key !== 'value') throw malformed(below(path, key.slice(0, 64)), 'is not a known field')
  }
  const { field: name, op, value } = written
  if (typeof name !== 'string') throw malformed(below(path, 'field'), name === undefined ? 'is required' : 'must be text')
  if (typeof op !== 'string') throw malformed(below(path, 'op'), op === undefined ? 'is required' : 'must be text')
  if (value === undefined) throw malformed(below(path, 'value'), 'is required')
  if (++seen.leaves > maxLeaves) throw malformed(path, `is leaf ${seen.leaves}; a segment holds at most ${maxLeaves}`)

  const field = findField(name)
  if (field === undefined)
    throw meaningless(
      below(path, 'field'),
      name.startsWith('$') ? 'must not begin with $' : 'is not a known field; tags are written tags.<name>',
    )
  const operator = segmentOperators.find((known) => known === op)
  if (operator === undefined) throw meaningless(below(path, 'op'), `must be one of ${segmentOperators.join(', ')}`)
  const allowed = operatorsOf[field.type]
  if (!allowed.includes(operator)) throw meaningless(below(path, 'op'), `cannot be used with this field; it knows ${allowed.join(', ')}`)
  const leaf = parseCondition({ is: 'leaf', path, field }, operator, value, below(path, 'value'))
  const cost = seen.cost.add(leaf)
  if (cost === 'too_many_values') throw malformed(path, `lists too many values; a segment lists at most ${maxValues}`)
  if (cost === 'too_costly') {
    throw malformed(
      path,
      `makes the segment too costly (above ${maxCost}); leave leaves out, or ask for versions, tags and dates less often`,
    )
  }
  return leaf
}

const deviceField = new Map(Object.entries(deviceFields))
const userField = new Map(Object.entries(userFields))
const userFieldsWithPrefix = new Set(['createdAt', 'lastActiveAt'])

/** Finds the field of this name; undefined when there is none. */
export function findField(name: string): SegmentField | undefined {
  if (name.startsWith('tags.')) return isTagName(name.slice(5)) ? { on: 'tag', name: name.slice(5), type: 'tag' } : undefined
  const prefixed = name.startsWith('user.')
  const bare = prefixed ? name.slice(5) : name
  const type = prefixed ? undefined : deviceField.get(name)
  if (type !== undefined) return { on: 'device', name: name as keyof typeof deviceFields, type }
  const userType = prefixed === userFieldsWithPrefix.has(bare) ? userField.get(bare) : undefined
  return userType === undefined ? undefined : { on: 'user', name: bare as keyof typeof userFields, type: userType }
}

function parseCondition(
  leaf: { is: 'leaf'; path: string; field: SegmentField },
  op: SegmentOperator,
  value: unknown,
  path: string,
): SegmentLeaf {
  if (op === 'in' || op === 'nin') {
    if (!Array.isArray(value)) throw meaningless(path, 'must be a list of values')
    if (value.length < 1 || value.length > maxListed) throw malformed(path, `must be a list of 1 to ${maxListed} values`)
    return { ...leaf, op, values: value.map((item: unknown, place) => parseScalar(leaf.field.type, op, item, below(path, place))) }
  }
  if (typeof value === 'object' && value !== null)
    throw meaningless(path, `must be a single value, not ${Array.isArray(value) ? 'a list' : 'an object'}`)
  if (op === 'exists') {
    if (typeof value !== 'boolean') throw meaningless(path, 'must be true or false')
    return { ...leaf, op, value }
  }
  if (value === null) {
    if (op === 'eq' || op === 'ne') return { ...leaf, op: 'exists', value: op === 'ne' }
    throw meaningless(path, 'must not be null; only eq and ne take null, for absent')
  }
  if (op === 'contains' || op === 'startsWith') {
    if (typeof value !== 'string') throw meaningless(path, 'must be text')
    const text = checkedText(value, path)
    // Stored languages begin in small letters; capitals, as in `contains NO`, are a region.
    return { ...leaf, op, value: leaf.field.type === 'language' && /^[a-z]/.test(text) ? withPresentCode(text) : text }
  }
  return { ...leaf, op, value: parseScalar(leaf.field.type, op, value, path) }
}

function checkedText(value: string, path: string): string {
  if (value.length > maxTextLength) throw malformed(path, `must be at most ${maxTextLength} characters`)
  if (!isStorable(value)) throw malformed(path, 'must not hold a NUL character or half of a surrogate pair')
  return value
}

function parseScalar(type: FieldType, op: SegmentOperator, value: unknown, path: string): SegmentScalar {
  if (typeof value === 'object' && value !== null)
    throw meaningless(path, `must be a single value, not ${Array.isArray(value) ? 'a list' : 'an object'}`)
  if (typeof value === 'number' && !isExact(value)) throw meaningless(path, exactSentence)
  if (type === 'number') return isFiniteNumber(value) ? value : refuseType(path, 'a finite number')
  if (type === 'boolean') return typeof value === 'boolean' ? value : refuseType(path, 'true or false')
  if (type === 'tag') return parseTagValue(op, value, path)
  if (typeof value !== 'string') return refuseType(path, type === 'date' ? 'a date' : 'text')
  checkedText(value, path)
  switch (type) {
    case 'date':
      return (
        parseRelativeDate(value) ?? parseDay(value) ?? refuseType(path, 'an ISO 8601 time, or relative such as -14d (units m, h, d, w)')
      )
    case 'version':
      return isVersion(value) ? value : refuseType(path, 'a version, such as 10.2')
    case 'platform':
      return platforms.find((platform) => platform === value) ?? refuseType(path, `one of ${platforms.join(', ')}`)
    case 'id':
      return isObjectId(value) ? value : refuseType(path, 'an id')
    case 'language':
      return canonicalLanguage(value) ?? value
    case 'country':
      return value.toUpperCase()
  }
  return value
}

function parseTagValue(op: SegmentOperator, value: unknown, path: string): SegmentScalar {
  if (typeof value === 'string') return checkedText(value, path)
  if (isFiniteNumber(value)) return value
  if (typeof value !== 'boolean') return refuseType(path, 'text, a finite number, true or false')
  return order.includes(op) ? refuseType(path, 'a number or text') : value
}

const isFiniteNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

function refuseType(path: string, wanted: string): never {
  throw meaningless(path, `must be ${wanted}`)
}

const unitSeconds: ReadonlyMap<string, number> = new Map([
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
  ['w', 604_800],
])

/**
 * Parses a relative date: `-14d` is 14 days before now, `+2h` in two hours. It has a sign, 1 to 5 digits, and m, h, d or w. Undefined for any other
 * text.
 */
export function parseRelativeDate(value: string): RelativeDate | undefined {
  const [, sign, digits, unit] = /^([+-])(\d{1,5})([mhdw])$/.exec(value) ?? []
  const seconds = Number(digits) * (unitSeconds.get(unit ?? '') ?? Number.NaN)
  if (Number.isNaN(seconds)) return undefined
  return { relativeSeconds: sign === '-' ? -seconds : seconds }
}
