import { fault, tooManyReads } from '@herald/contracts/fault'
import type { SegmentCount } from '@herald/contracts/saved-segment'
import { parseSegment, type Segment } from '@herald/contracts/segment'
import type { LastNotified } from '../last-notified.ts'
import { countReachable } from './store/counts.ts'
import { getSegment, keepCount } from './store/segments.ts'
import type { Db } from '../store/tables.ts'

export type CountAsked = { appId: string; segmentId: string } | { appId: string; segment: unknown }

/**
 * Counts a segment's reachable devices now: a saved one, whose count is stored (spec: segments/count), or one in the request; null: all devices.
 * Faults: `not_found`, `invalid_segment` (the node's path), `invalid_body`, `rate_limited` (over 18 s, or `LastNotified` not ready).
 */
export async function countSegment({ db, lastNotified }: { db: Db; lastNotified: LastNotified }, asked: CountAsked): Promise<SegmentCount> {
  const count = async (segment: Segment) => {
    if (!(await lastNotified(asked.appId, segment))) throw tooManyReads(5)
    return countReachable(db, asked.appId, segment)
  }
  if (!('segmentId' in asked)) return count(compile(asked.segment ?? {}, 'segment'))
  const { definition } = await getSegment(db, asked)
  const counted = await count(compileSaved(definition))
  await keepCount(db, asked.segmentId, definition, counted.count)
  return counted
}

function compile(definition: unknown, path: string): Segment {
  const parsed = parseSegment(definition, path)
  if (parsed.ok) return parsed.segment
  throw fault(parsed.kind, `${parsed.path} ${parsed.message}`, [{ path: parsed.path, message: parsed.message }])
}

/** Compiles a saved segment, which is invalid only if the rules for segments have changed since it was saved. Fault: `invalid_segment`. */
export function compileSaved(definition: unknown): Segment {
  const parsed = parseSegment(definition, 'definition')
  if (parsed.ok) return parsed.segment
  throw fault('invalid_segment', `The segment does not compile any more: ${parsed.path} ${parsed.message}`, [
    { path: parsed.path, message: parsed.message },
  ])
}
