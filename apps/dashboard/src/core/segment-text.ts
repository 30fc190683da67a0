import { platformNames } from '@herald/contracts/platform'
import { labelOf, typeOf, wordOf } from './segment-fields.ts'
import type { EditorNode, EditorRoot } from './segment-editor.ts'

const mostNamed = 3

/** Describes a segment in words: `plan is gold and Platform is one of iOS, Android`. */
export const describeSegment = (root: EditorRoot): string => (root === undefined ? 'Everyone' : describeNode(root))

export function describeNode(node: EditorNode): string {
  if (node.kind === 'leaf') return describeLeaf(node.field, node.op, node.value)
  if (node.kind === 'not') return `not (${describeNode(node.child)})`
  const joint = node.kind === 'and' ? ' and ' : ' or '
  return node.children
    .map((child) =>
      child.kind === 'leaf' || child.kind === 'not' || child.children.length === 1 ? describeNode(child) : `(${describeNode(child)})`,
    )
    .join(joint)
}

/** Describes a condition: `Country is AT`, `Device last active in the last 14 days`. */
export function describeLeaf(field: string, op: string, value: unknown): string {
  const type = typeOf(field)
  const relative = type === 'date' ? readRelative(value) : undefined
  if (relative?.sign === '-' && (op === 'gt' || op === 'gte')) return `${labelOf(field)} in the last ${spanOf(relative)}`
  if (relative?.sign === '-' && (op === 'lt' || op === 'lte')) return `${labelOf(field)} more than ${describeRelative(relative)}`
  if (op === 'exists') return `${labelOf(field)} ${value === false ? 'does not exist' : 'exists'}`
  return `${labelOf(field)} ${wordOf(op, type)} ${describeValue(type === 'platform' ? nameOfPlatforms(value) : value)}`.trim()
}

const nameOfPlatforms = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(nameOfPlatforms) : ((platformNames as Record<string, string>)[String(value)] ?? value)

function describeValue(value: unknown): string {
  if (Array.isArray(value)) {
    const named = value.slice(0, mostNamed).map(describeValue).join(', ')
    return value.length > mostNamed ? `${named} and ${value.length - mostNamed} more` : named
  }
  const relative = readRelative(value)
  if (relative) return describeRelative(relative)
  if (value === null) return 'nothing'
  return typeof value === 'string' ? (value === '' ? 'an empty text' : value) : value === undefined ? '' : JSON.stringify(value)
}

/** Reads a relative date such as `-14d`; undefined when the value is no relative date. */
export function readRelative(value: unknown): { sign: '-' | '+'; count: number; unit: 'm' | 'h' | 'd' | 'w' } | undefined {
  const [, sign, digits, unit] = (typeof value === 'string' ? /^([+-])(\d{1,5})([mhdw])$/.exec(value) : null) ?? []
  if (sign === undefined) return undefined
  return { sign: sign as '-' | '+', count: Number(digits), unit: unit as 'm' | 'h' | 'd' | 'w' }
}

const units = { m: 'minute', h: 'hour', d: 'day', w: 'week' }

type Relative = NonNullable<ReturnType<typeof readRelative>>

const spanOf = ({ count, unit }: Relative): string => `${count} ${units[unit]}${count === 1 ? '' : 's'}`

/** Writes a relative date: `14 days ago`, `in 2 hours`. */
const describeRelative = (relative: Relative): string => (relative.sign === '-' ? `${spanOf(relative)} ago` : `in ${spanOf(relative)}`)
