import { withPresentCode, zoneKey } from './text.ts'
import type { Segment, SegmentDevice, SegmentLeaf, SegmentNode, SegmentScalar, SegmentUser } from './segment-tree.ts'

/** The value of a field; undefined when the device or user does not have the field. */
type Known = string | number | boolean | Date | undefined

/**
 * Whether a device and its user belong to a segment. The SQL is tested against this function. Relative dates count from `now`. With an absent field
 * every operator is false except `ne`, `nin` and `exists: false`.
 */
export function matches(segment: Segment, device: SegmentDevice, user: SegmentUser, now: Date): boolean {
  switch (segment.is) {
    case 'everyone':
      return true
    case 'and':
      return segment.nodes.every((node) => matches(node, device, user, now))
    case 'or':
      return segment.nodes.some((node) => matches(node, device, user, now))
    case 'not':
      return !matches(segment.node, device, user, now)
  }
  return leafMatches(segment, device, user, now)
}

/** Gives for every leaf of a segment whether it matches by itself, in the order in which the leaves are written. */
export function leafAnswers(segment: Segment, device: SegmentDevice, user: SegmentUser, now: Date): { path: string; matched: boolean }[] {
  if (segment.is === 'everyone') return []
  return leavesOf(segment).map((leaf) => ({ path: leaf.path, matched: leafMatches(leaf, device, user, now) }))
}

export function leavesOf(node: SegmentNode): SegmentLeaf[] {
  if (node.is === 'leaf') return [node]
  return node.is === 'not' ? leavesOf(node.node) : node.nodes.flatMap(leavesOf)
}

function leafMatches(leaf: SegmentLeaf, device: SegmentDevice, user: SegmentUser, now: Date): boolean {
  const known = readField(leaf, device, user)
  const compare = (value: SegmentScalar) => compareTo(known, value, leaf, now)
  switch (leaf.op) {
    case 'exists':
      return (known !== undefined) === leaf.value
    case 'eq':
      return compare(leaf.value) === 0
    case 'ne':
      return compare(leaf.value) !== 0
    case 'in':
      return leaf.values.some((value) => compare(value) === 0)
    case 'nin':
      return leaf.values.every((value) => compare(value) !== 0)
    case 'gt':
      return (compare(leaf.value) ?? 0) > 0
    case 'gte':
      return (compare(leaf.value) ?? -1) >= 0
    case 'lt':
      return (compare(leaf.value) ?? 0) < 0
    case 'lte':
      return (compare(leaf.value) ?? 1) <= 0
    case 'contains':
      return typeof known === 'string' && known.includes(leaf.value)
  }
  return typeof known === 'string' && known.startsWith(leaf.value)
}

function readField({ field }: SegmentLeaf, device: SegmentDevice, user: SegmentUser): Known {
  if (field.on === 'tag') return Object.hasOwn(user.tags, field.name) ? user.tags[field.name] : undefined
  const known = (field.on === 'device' ? device[field.name] : user[field.name]) ?? undefined
  return field.type === 'language' && typeof known === 'string' ? withPresentCode(known) : known
}

/** Compares as a sort does: below 0, 0 or above 0. Undefined when the two cannot be compared: they are then unequal, and neither is greater. */
function compareTo(known: Known, value: SegmentScalar, leaf: SegmentLeaf, now: Date): number | undefined {
  if (known instanceof Date) return typeof value === 'object' ? known.getTime() - resolveDate(value, now).getTime() : undefined
  if (typeof known === 'number') return typeof value === 'number' ? known - value : undefined
  if (typeof known === 'boolean') return typeof value === 'boolean' ? Number(known) - Number(value) : undefined
  if (typeof known !== 'string' || typeof value !== 'string') return undefined
  if (leaf.field.type === 'version') return compareVersions(known, value)
  return leaf.field.type === 'zone' ? compareText(zoneKey(known), zoneKey(value)) : compareText(known, value)
}

/** Gives the instant that a date of a segment means. */
export const resolveDate = (date: Date | { relativeSeconds: number }, now: Date): Date =>
  date instanceof Date ? date : new Date(now.getTime() + date.relativeSeconds * 1000)

/** Compares by code points, which is the order of UTF-8 bytes and of Postgres' collation "C". */
const compareText = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

const version = /^[vV]?(\d{1,9}(?:\.\d{1,9}){0,7})(?!\d)/
const zerosAtTheEnd = /(?:\.0+)+$/

/** Whether a text begins with a number, and so is a version. */
export const isVersion = (text: string): boolean => version.test(text)

/**
 * Gives the numbers with which a version begins, without zeros at the end: `v10.2.0-beta` is [10, 2]. At most 8 numbers of 9 digits count. Undefined
 * without a number: unequal to every version, neither smaller nor greater.
 */
export function versionParts(text: string): number[] | undefined {
  return version.exec(text)?.[1]?.replace(zerosAtTheEnd, '').split('.').map(Number)
}

function compareVersions(one: string, other: string): number | undefined {
  const left = versionParts(one)
  const right = versionParts(other)
  if (left === undefined || right === undefined) return undefined
  for (let place = 0; place < Math.max(left.length, right.length); place++) {
    const difference = (left[place] ?? 0) - (right[place] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
