import { z } from 'zod'
import { SavedSegmentDefinition } from './segment-definition.ts'
import { Id, name, sentence } from './text.ts'
import { perPlatform } from './platform.ts'

const Time = z.iso.datetime()

/** The body of POST and PUT /v1/segments. */
export const SaveSegment = z.strictObject({
  name: name(120),
  description: sentence(1, 500).nullable().optional(),
  definition: SavedSegmentDefinition,
})
export type SaveSegment = z.output<typeof SaveSegment>

/** A saved segment, as the API answers it (spec: segments/saved-fields). */
export const SavedSegment = z.object({
  id: Id,
  name: z.string(),
  description: z.string().nullable(),
  definition: z.record(z.string(), z.unknown()),
  lastCount: z.number().int().nullable(),
  lastCountedAt: Time.nullable(),
  createdAt: Time,
  updatedAt: Time,
})
export type SavedSegment = z.infer<typeof SavedSegment>

const Count = z.number().int()

/** How many reachable devices a segment has. Devices are counted with the filter of the fan-out. */
export const SegmentCount = z.object({ count: Count, byPlatform: z.object(perPlatform(() => Count)) })
export type SegmentCount = z.infer<typeof SegmentCount>
