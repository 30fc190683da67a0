import { z } from 'zod'
import { SegmentDefinition } from './segment-definition.ts'
import { ExternalId, ObjectId } from './text.ts'

const maxItems = 1000
const several = <T extends z.ZodType>(item: T) =>
  z.array(item).min(1, `must hold 1 to ${maxItems} items`).max(maxItems, `must hold 1 to ${maxItems} items`)

/** The users or devices to which a notification goes, named by exactly one selector. Ids of users and devices that do not exist are ignored. */
export const Target = z
  .strictObject({
    externalIds: several(ExternalId).optional(),
    userIds: several(ObjectId).optional(),
    subscriptionIds: several(ObjectId).optional(),
    segment: SegmentDefinition.optional(),
    segmentId: ObjectId.optional(),
    all: z.literal(true).optional(),
  })
  .superRefine((target, context) => {
    const given = Object.values(target).filter((selector) => selector !== undefined).length
    if (given !== 1) {
      context.addIssue({
        code: 'custom',
        message: 'must have exactly one selector: externalIds, userIds, subscriptionIds, segment, segmentId or all',
      })
    }
  })
export type Target = z.output<typeof Target>
