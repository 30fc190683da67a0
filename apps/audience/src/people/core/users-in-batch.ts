import { notFound, type Fault } from '@herald/contracts/fault'
import type { UserInBatch, UserInBatchAnswer } from '@herald/contracts/user-batch'
import { maxTagsPerUser, tooManyTags } from './identity.ts'
import { tagNamesAfter, toPersonChanges, type Person, type PersonChanges } from './person.ts'

/** A user of a batch: all that the batch says about them, in one. */
export type UserToWrite = { id: string; externalId: string | null; isNew: boolean; changes: PersonChanges }

/**
 * Decides what a batch writes, as if its items were done one after another: a user who is named several times is written once, with what the
 * later items say over what the earlier ones do. `known`: the users that there are, with the names of their tags; `makeId` makes ids of new ones.
 */
export function planUsersInBatch(
  known: (Person & { tagNames: string[] })[],
  items: UserInBatch[],
  makeId: () => string,
): { answers: UserInBatchAnswer[]; users: UserToWrite[] } {
  type Planned = { user: UserToWrite; tagNames: Set<string>; isChanged: boolean }
  const byId = new Map<string, Planned>()
  const byName = new Map<string, Planned>()
  const add = ({ id, externalId, tagNames }: Person & { tagNames: string[] }, isNew: boolean): Planned => {
    const planned = { user: { id, externalId, isNew, changes: toPersonChanges({}) }, tagNames: new Set(tagNames), isChanged: isNew }
    byId.set(id, planned)
    if (externalId !== null) byName.set(externalId, planned)
    return planned
  }
  for (const person of known) add(person, false)

  const answers = items.map(({ userId, externalId, ...said }): UserInBatchAnswer => {
    const found = userId === undefined ? byName.get(externalId ?? '') : byId.get(userId)
    if (!found && externalId === undefined) return { fault: plain(notFound()) }
    const planned = found ?? add({ id: makeId(), externalId: externalId ?? null, tagNames: [] }, true)

    const changes = toPersonChanges(said)
    const tagNames = tagNamesAfter(planned.tagNames, changes.tags)
    if (tagNames.size > maxTagsPerUser) return { fault: plain(tooManyTags()) }
    const before = planned.user.changes
    planned.user.changes = {
      tags: { ...before.tags, ...changes.tags },
      language: changes.language ?? before.language,
      timezone: changes.timezone ?? before.timezone,
      country: changes.country ?? before.country,
    }
    planned.tagNames = tagNames
    planned.isChanged = true
    return { id: planned.user.id, created: !found }
  })
  return { answers, users: [...byId.values()].flatMap(({ user, isChanged }) => (isChanged ? [user] : [])) }
}

const plain = ({ code, message, details }: Fault) => ({ code, message, ...(details === undefined ? {} : { details }) })
