import { z } from 'zod'
import type { FaultCode, FaultDetail } from './fault.ts'
import { UserChanges } from './subscription.ts'
import { ExternalId, ObjectId } from './text.ts'

export const mostUsersInBatch = 500

/** One user in POST /v1/users/batch, with the changes to merge. An unknown external id makes a user, even without changes. */
export const UserInBatch = z
  .strictObject({ externalId: ExternalId.optional(), userId: ObjectId.optional(), ...UserChanges.shape })
  .refine(
    ({ externalId, userId }) => (externalId === undefined) !== (userId === undefined),
    'must have exactly one of externalId and userId',
  )
export type UserInBatch = z.output<typeof UserInBatch>

/** The result for one user of a batch: the user's id and whether the batch made the user; or a fault, which says why nothing was written. */
export type UserInBatchAnswer = { id: string; created: boolean } | { fault: { code: FaultCode; message: string; details?: FaultDetail[] } }
