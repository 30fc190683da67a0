import { fault, invalidField, notFound } from '@herald/contracts/fault'
import { mostActivityTokens } from '@herald/contracts/live-activity'
import { transact } from '@herald/service/postgres'
import { countOtherTokens, deleteToken, writeToken, type ActivityToken } from '../store/activities.ts'
import type { Db } from '../store/tables.ts'
import { findPlatformOf, lockSubscription } from './store/subscriptions.ts'

/**
 * Keeps a device's token for a Live Activity (spec: activities/tokens). The device is locked, so requests at the same moment make no more than 20.
 * Faults: not_found; invalid_body for another platform; limit_reached.
 */
export const putActivityToken = ({ db }: { db: Db }, request: ActivityToken): Promise<{ id: string }> =>
  transact(db, async (trx) => {
    const { appId, subscriptionId: id } = request
    if (!(await lockSubscription(trx, { appId, id }))) throw notFound()
    if ((await findPlatformOf(trx, id)) !== 'ios') throw invalidField('token', 'is of a Live Activity, which only an iOS device can have')
    if ((await countOtherTokens(trx, request)) >= mostActivityTokens)
      throw fault(
        'limit_reached',
        `A device has at most ${mostActivityTokens} tokens of Live Activities. Delete those of activities that have ended.`,
      )
    await writeToken(trx, request)
    return { id }
  })

/** Forgets a device's token for an activity. Fault: not_found (the device). */
export const deleteActivityToken = (
  { db }: { db: Db },
  request: { appId: string; subscriptionId: string; activityId: string },
): Promise<Record<string, never>> =>
  transact(db, async (trx) => {
    if (!(await lockSubscription(trx, { appId: request.appId, id: request.subscriptionId }))) throw notFound()
    await deleteToken(trx, request)
    return {}
  })
