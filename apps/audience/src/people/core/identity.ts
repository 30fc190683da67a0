import { fault, invalidField, type Fault } from '@herald/contracts/fault'
import type { UserChanges } from '@herald/contracts/subscription'
import type { TagChanges } from '@herald/contracts/text'

/** A user as the identity rules see them. An anonymous user has no external id. */
export type UserIdentity = { id: string; externalId: string | null }

/**
 * Which user gets a device. `stay`: its owner keeps it. `rename`: its anonymous owner gets the external id, and keeps userId and tags. `join`: an
 * existing user gets it. `create`: a new user, anonymous when `externalId` is null.
 */
export type Ownership =
  | { kind: 'stay'; userId: string }
  | { kind: 'rename'; userId: string; externalId: string }
  | { kind: 'join'; userId: string }
  | { kind: 'create'; externalId: string | null }

/**
 * Decides which user gets a device (spec: identity/login). `owner`: its present owner, null for a new device. `externalId`: the requested one; null
 * keeps the owner. `named`: the user who has it, or null. An identified user is never renamed.
 */
export function decideOwnership(owner: UserIdentity | null, externalId: string | null, named: UserIdentity | null): Ownership {
  if (externalId === null) return owner ? { kind: 'stay', userId: owner.id } : { kind: 'create', externalId: null }
  if (owner && owner.externalId === externalId) return { kind: 'stay', userId: owner.id }
  if (named) return { kind: 'join', userId: named.id }
  if (owner && owner.externalId === null) return { kind: 'rename', userId: owner.id, externalId }
  return { kind: 'create', externalId }
}

/** A device that leaves a user, because the device gets another owner or is deleted. */
export type Departure = { userId: string; subscriptionId: string }

/** At most this many devices belong to one user (spec: identity/device-limit): 409 `limit_reached`. */
export const maxDevicesPerUser = 100
export const tooManyDevices = () =>
  fault('limit_reached', `A user has at most ${maxDevicesPerUser} devices. Remove one that is not used any more.`)
/** At most this many tags belong to one user (spec: identity/tags). */
export const maxTagsPerUser = 100
/** A user's tags take at most this many bytes as JSON (spec: identity/tags). Every batch of a send that names tags reads them from the user's row. */
export const maxTagBytes = 16_384
export const tooLargeTags = () => invalidField('tags', `would leave the user with more than ${maxTagBytes / 1024} KiB of tags`)
export const tooManyTags = () => invalidField('tags', `would leave the user with more than ${maxTagsPerUser} tags`)
/** A device that has had a session begins a new one only if the last began at least this long ago (spec: identity/session). */
export const sessionGapMinutes = 30

/** The changes that a request makes to a user. A tag that is null is deleted; a language, timezone or country that is null stays as it is. */
export type UserUpdate = {
  tags: TagChanges
  language: string | null
  timezone: string | null
  country: string | null
}

export const toUserUpdate = ({ tags = {}, language, timezone, country }: UserChanges): UserUpdate => ({
  tags,
  language: language ?? null,
  timezone: timezone ?? null,
  country: country ?? null,
})

/** The tags of a user by name: how many bytes the value of each takes as JSON. */
export type TagSizes = ReadonlyMap<string, number>

/** Gives the sizes of a user's tags after a change. */
export function tagSizesAfter(sizes: TagSizes, changes: TagChanges): Map<string, number> {
  const after = new Map(sizes)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) after.delete(name)
    else after.set(name, bytesOf(value))
  }
  return after
}

/** Counts the bytes of tags in the form in which Postgres prints them: with a space behind each colon and comma. */
export function countTagBytes(sizes: TagSizes): number {
  let bytes = sizes.size === 0 ? 2 : 0
  for (const [name, size] of sizes) bytes += bytesOf(name) + size + 4
  return bytes
}
const bytesOf = (value: string | number | boolean): number => Buffer.byteLength(JSON.stringify(value))

/** Gives the fault of a change after which a user's tags, whose sizes are given, are too many or too large; undefined when the user may have them. */
export function faultOfTags(after: TagSizes, changes: TagChanges): Fault | undefined {
  if (!setsAny(changes)) return undefined
  if (after.size > maxTagsPerUser) return tooManyTags()
  return countTagBytes(after) > maxTagBytes ? tooLargeTags() : undefined
}
const setsAny = (changes: TagChanges): boolean => Object.values(changes).some((value) => value !== null)
