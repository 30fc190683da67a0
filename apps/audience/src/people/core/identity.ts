import { fault, invalidField } from '@herald/contracts/fault'
import type { Person } from './person.ts'

/**
 * Whose a device is to be:
 * `stay`   its owner keeps it;
 * `rename` its anonymous owner becomes the user with this external id, same userId, tags stay;
 * `join`   an existing user gets it;
 * `create` a new user gets it, anonymous when `externalId` is null.
 */
export type Ownership =
  | { kind: 'stay'; userId: string }
  | { kind: 'rename'; userId: string; externalId: string }
  | { kind: 'join'; userId: string }
  | { kind: 'create'; externalId: string | null }

/**
 * The identity rules of login, and of registration with an external id (spec: identity/login). `owner`: the device's
 * owner now, null for a device never seen. `externalId`: who the caller says it is, null when they say nothing, which never
 * changes an owner. `holder`: the user who has that external id, null when nobody has. An identified user is never renamed.
 */
export function decideOwnership(owner: Person | null, externalId: string | null, holder: Person | null): Ownership {
  if (externalId === null) return owner ? { kind: 'stay', userId: owner.id } : { kind: 'create', externalId: null }
  if (owner && owner.externalId === externalId) return { kind: 'stay', userId: owner.id }
  if (holder) return { kind: 'join', userId: holder.id }
  if (owner && owner.externalId === null) return { kind: 'rename', userId: owner.id, externalId }
  return { kind: 'create', externalId }
}

/** At most this many devices belong to one user (spec: identity/device-limit): 409 `limit_reached`. */
export const maxDevicesPerUser = 100
export const tooManyDevices = () =>
  fault('limit_reached', `A user has at most ${maxDevicesPerUser} devices. Remove one that is not used any more.`)
/** At most this many tags are on one user (spec: identity/tags). */
export const maxTagsPerUser = 100
export const tooManyTags = () => invalidField('tags', `would leave the user with more than ${maxTagsPerUser} tags`)
/** A session that starts this long after the one before counts as a new one (spec: identity/session). */
export const sessionGapMinutes = 30
