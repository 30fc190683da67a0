import { notFound, type Fault } from '@herald/contracts/fault'
import type { UserInBatch, UserInBatchAnswer } from '@herald/contracts/user-batch'
import { faultOfTags, tagSizesAfter, toUserUpdate, type TagSizes, type UserIdentity, type UserUpdate } from './identity.ts'

/** A user whom a batch of users makes or changes, with the joined changes of all items that name the user. */
export type UserToWrite = { id: string; externalId: string | null; isNew: boolean; changes: UserUpdate }

/**
 * Decides what a batch of users (POST /v1/users/batch) writes, as if its items were done one after another; a later item overrides an earlier one.
 * `known`: the users who exist. `makeId` makes ids of new users.
 */
export function planUsersInBatch(
  known: (UserIdentity & { tagSizes: TagSizes })[],
  items: UserInBatch[],
  makeId: () => string,
): { answers: UserInBatchAnswer[]; users: UserToWrite[] } {
  type Planned = { user: UserToWrite; tagSizes: TagSizes; isChanged: boolean }
  const byId = new Map<string, Planned>()
  const byName = new Map<string, Planned>()
  const add = ({ id, externalId, tagSizes }: UserIdentity & { tagSizes: TagSizes }, isNew: boolean): Planned => {
    const planned = { user: { id, externalId, isNew, changes: toUserUpdate({}) }, tagSizes, isChanged: isNew }
    byId.set(id, planned)
    if (externalId !== null) byName.set(externalId, planned)
    return planned
  }
  for (const user of known) add(user, false)

  const answers = items.map(({ userId, externalId, ...said }): UserInBatchAnswer => {
    const found = userId === undefined ? byName.get(externalId ?? '') : byId.get(userId)
    if (!found && externalId === undefined) return { fault: plain(notFound()) }
    const planned = found ?? add({ id: makeId(), externalId: externalId ?? null, tagSizes: new Map() }, true)

    const changes = toUserUpdate(said)
    const tagSizes = tagSizesAfter(planned.tagSizes, changes.tags)
    const refusal = faultOfTags(tagSizes, changes.tags)
    if (refusal) return { fault: plain(refusal) }
    const before = planned.user.changes
    planned.user.changes = {
      tags: { ...before.tags, ...changes.tags },
      language: changes.language ?? before.language,
      timezone: changes.timezone ?? before.timezone,
      country: changes.country ?? before.country,
    }
    planned.tagSizes = tagSizes
    planned.isChanged = true
    return { id: planned.user.id, created: !found }
  })
  return { answers, users: [...byId.values()].flatMap(({ user, isChanged }) => (isChanged ? [user] : [])) }
}

const plain = ({ code, message, details }: Fault) => ({ code, message, ...(details === undefined ? {} : { details }) })
