import type { UserChanges } from '@herald/contracts/subscription'
import type { TagChanges } from '@herald/contracts/text'

/** A user as the identity rules see them: anonymous ones have no external id. */
export type Person = { id: string; externalId: string | null }

/** What a caller says about a person. Null: nothing, what is known stays. A tag of null is deleted. */
export type PersonChanges = {
  tags: TagChanges
  language: string | null
  timezone: string | null
  country: string | null
}

export const toPersonChanges = ({ tags = {}, language, timezone, country }: UserChanges): PersonChanges => ({
  tags,
  language: language ?? null,
  timezone: timezone ?? null,
  country: country ?? null,
})

/** The names of the tags that a person has after a change. `names`: of those they have before. */
export function tagNamesAfter(names: Iterable<string>, changes: TagChanges): Set<string> {
  const after = new Set(names)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) after.delete(name)
    else after.add(name)
  }
  return after
}

/** How many tags a person has after a change. `names`: of those they have before. */
export const countTags = (names: string[], changes: TagChanges): number => tagNamesAfter(names, changes).size
