import { z } from 'zod'
import type { FaultCode, FaultDetail } from './fault.ts'
import { UserChanges } from './subscription.ts'
import { ExternalId, ObjectId } from './text.ts'

/** How many users one batch changes at most. */
export const mostUsersInBatch = 500

/** One user of POST /v1/users/batch: who it is, and what is merged. Without changes an unknown external id still makes a user. */
export const UserInBatch = z
  .strictObject({ externalId: ExternalId.optional(), userId: ObjectId.optional(), ...UserChanges.shape })
  .refine(
    ({ externalId, userId }) => (externalId === undefined) !== (userId === undefined),
    'must have exactly one of externalId and userId',
  )
export type UserInBatch = z.output<typeof UserInBatch>

/** What became of one user of a batch: who it is, and whether this made the user; or why nothing of it was written. */
export type UserInBatchAnswer = { id: string; created: boolean } | { fault: { code: FaultCode; message: string; details?: FaultDetail[] } }
