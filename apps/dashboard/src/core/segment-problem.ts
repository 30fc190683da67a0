import { parseSegment } from '@herald/contracts/segment'

/** Gives the first mistake that the contracts' parser finds in a segment; undefined when there is none. */
export function problemOf(definition: unknown): { path: string; message: string } | undefined {
  const parsed = parseSegment(definition, '')
  return parsed.ok ? undefined : { path: parsed.path, message: parsed.message }
}
