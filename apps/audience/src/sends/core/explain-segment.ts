import type { ExplainedLeaf } from '@herald/contracts/explain'
import { leavesOf, type Segment, type SegmentField } from '@herald/contracts/segment'
import type { Tags } from '@herald/contracts/text'

/** The values that a device and its user have now, by the names of the segment fields. */
export type KnownValues = {
  device: Record<string, string | number | boolean | Date | null>
  user: Record<string, string | Date | null>
  tags: Tags
}

/**
 * Gives each leaf (single condition) of a segment, in the order written, with the wanted and the actual value. `matched`: whether each leaf matches.
 */
export function explainLeaves(segment: Segment, definition: unknown, known: KnownValues, matched: readonly boolean[]): ExplainedLeaf[] {
  if (segment.is === 'everyone') return []
  return leavesOf(segment).map(({ path, field }, place): ExplainedLeaf => {
    const written = at(definition, path.split('.').slice(1))
    return {
      path,
      field: String(written['field']),
      op: String(written['op']),
      wanted: written['value'] ?? null,
      actual: shown(valueOf(field, known)),
      matched: matched[place] ?? false,
    }
  })
}

/** Gives the object at a path of a valid segment definition. */
function at(definition: unknown, steps: readonly string[]): Record<string, unknown> {
  let here = definition
  for (const step of steps) here = typeof here === 'object' && here !== null ? Reflect.get(here, step) : undefined
  return typeof here === 'object' && here !== null ? { ...here } : {}
}

function valueOf(field: SegmentField, { device, user, tags }: KnownValues): string | number | boolean | Date | null | undefined {
  if (field.on === 'tag') return Object.hasOwn(tags, field.name) ? tags[field.name] : null
  return field.on === 'device' ? device[field.name] : user[field.name]
}

const shown = (value: string | number | boolean | Date | null | undefined): ExplainedLeaf['actual'] =>
  value instanceof Date ? value.toISOString() : (value ?? null)

/** The fields that a session of a device may change. */
const ofSessions = new Set(['sessionCount', 'lastSessionAt', 'lastActiveAt', 'appVersion', 'osVersion'])

/** Whether a segment asks for fields that a session may change, and whether it asks for `lastNotifiedAt`. */
export const asksFor = (segment: Segment): { sessions: boolean; lastNotified: boolean } => {
  const leaves = segment.is === 'everyone' ? [] : leavesOf(segment)
  return {
    sessions: leaves.some(({ field }) => field.on !== 'tag' && ofSessions.has(field.name)),
    lastNotified: leaves.some(({ field }) => field.on === 'device' && field.name === 'lastNotifiedAt'),
  }
}
