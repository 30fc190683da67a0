import type { InboxOwner, PreferencesOf } from '@herald/contracts/calls/audience'
import { mostExplained } from '@herald/contracts/explain'
import { notFound } from '@herald/contracts/fault'
import { recipientsOf } from '@herald/contracts/recipient'
import { asReachable, partOf, subscriptionFields, userFields } from '../delivery/core/recipient.ts'
import { readDevices } from '../delivery/store/recipients.ts'
import { findDeviceIds } from '../sends/store/explained.ts'
import type { Db } from '../store/tables.ts'
import { findOwnerOf, findPlatformOf } from './store/subscriptions.ts'
import { findTags, findUser } from './store/users.ts'

/**
 * Reads whose inbox it is: the user, the present devices, and the values that texts may name, as they are now. The values of a device are those of the
 * one that asks, else of the first. Fault: not_found.
 */
export async function readInboxOwner(db: Db, { appId, of }: { appId: string; of: PreferencesOf }): Promise<InboxOwner> {
  const owner = 'subscriptionId' in of ? await findOwnerOf(db, appId, of.subscriptionId) : undefined
  if ('subscriptionId' in of && owner === undefined) throw notFound()
  const user = await findUser(db, appId, 'subscriptionId' in of ? { userId: owner ?? '' } : of)
  if (!user) throw notFound()
  const subscriptionIds = await findDeviceIds(db, user.id, mostExplained)
  const device = 'subscriptionId' in of ? of.subscriptionId : subscriptionIds[0]
  return { user, subscriptionIds, reader: device === undefined ? null : await readReader(db, appId, user.id, device) }
}

/** Reads a device and its owner as a dispatcher gets them, also an opted-out one; without address and keys. Null when the device is gone. */
async function readReader(db: Db, appId: string, userId: string, subscriptionId: string): Promise<InboxOwner['reader']> {
  // The device or the user may be deleted at this moment.
  const [platform, tags] = [await findPlatformOf(db, subscriptionId), await findTags(db, userId)]
  if (!platform || !tags) return null
  const names = {
    user: ['id', ...userFields],
    tags: Object.keys(tags),
    subscription: ['id', 'platform', ...subscriptionFields],
    language: true,
    timezone: true,
  }
  const queued = await readDevices(db, { appId, platform, names, subscriptionIds: [subscriptionId], userIds: [userId] })
  const [recipient] = queued ? recipientsOf(partOf(asReachable(queued), names, platform, 0).recipients) : []
  return recipient ? { ...recipient, address: '', keys: null } : null
}
