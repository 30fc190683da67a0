import { z } from 'zod'
import { parseSegment } from './segment.ts'

/** A segment as the API client wrote it: JSON, stored word for word and parsed again wherever it is used. */
export type SegmentDefinition = Record<string, unknown>

const definition = (meaningFault: 'invalid_segment' | 'invalid_body') =>
  z
    .unknown()
    .superRefine((value, context) => {
      const parsed = parseSegment(value, '')
      if (parsed.ok) return
      const fault = parsed.kind === 'invalid_segment' ? meaningFault : 'invalid_body'
      const path = parsed.path.split('.').filter((step) => step !== '')
      context.addIssue({ code: 'custom', message: parsed.message, path, params: { fault } })
    })
    .transform((value) => value as SegmentDefinition)
    .meta({ type: 'object', description: 'A segment node; {} means everyone.' })

/**
 * A segment inside another body. A segment that does not compile is refused with `invalid_segment`, a value that is not a segment at all with
 * `invalid_body`.
 */
export const SegmentDefinition = definition('invalid_segment')

/**
 * The definition of a saved segment. POST and PUT /v1/segments refuse a segment that does not compile, like a value that is not a segment, with
 * `invalid_body` (spec: segments/saved-errors).
 */
export const SavedSegmentDefinition = definition('invalid_body')
