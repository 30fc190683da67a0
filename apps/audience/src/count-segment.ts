import { fault } from '@herald/contracts/fault'
import type { SegmentCount } from '@herald/contracts/saved-segment'
import { parseSegment, type Segment } from '@herald/contracts/segment'
import { countReachable } from './store/counts.ts'
import { getSegment, keepCount } from './store/segments.ts'
import type { Db } from './store/tables.ts'

export type CountAsked = { appId: string; segmentId: string } | { appId: string; segment: unknown }

/**
 * Counts the reachable devices of a segment now: of a saved one, whose count is kept (api.md, POST /v1/segments/:id/count), or
 * of one just given, null for everyone (POST /v1/segments/preview). Faults: `not_found`, `invalid_segment` with the path of the
 * faulty node, `invalid_body` for what is no segment at all.
 */
export async function countSegment({ db }: { db: Db }, asked: CountAsked): Promise<SegmentCount> {
  if (!('segmentId' in asked)) return countReachable(db, asked.appId, compile(asked.segment ?? {}, 'segment'))
  const { definition } = await getSegment(db, asked)
  const counted = await countReachable(db, asked.appId, compileSaved(definition))
  await keepCount(db, asked.segmentId, definition, counted.count)
  return counted
}

function compile(definition: unknown, path: string): Segment {
  const parsed = parseSegment(definition, path)
  if (parsed.ok) return parsed.segment
  throw fault(parsed.kind, `${parsed.path} ${parsed.message}`, [{ path: parsed.path, message: parsed.message }])
}

/** What was saved compiled once; if the language has changed since, it is its meaning that is wrong now. */
function compileSaved(definition: unknown): Segment {
  const parsed = parseSegment(definition, 'definition')
  if (parsed.ok) return parsed.segment
  throw fault('invalid_segment', `The segment does not compile any more: ${parsed.path} ${parsed.message}`, [
    { path: parsed.path, message: parsed.message },
  ])
}
