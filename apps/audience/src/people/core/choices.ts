import type { Choices } from '@herald/contracts/category'

/** A person has at most this many choices. More are possible only by categories that were deleted since. */
export const mostChoices = 200

/**
 * Gives a person's own choices after a change; null takes one back. The choices of deleted categories stay, since a category may be made again, until
 * there are too many: then only those of `known` categories stay.
 */
export function changeChoices(before: Choices, changes: Record<string, boolean | null>, known: readonly string[]): Choices {
  const after = Object.entries({ ...before, ...changes }).filter((entry): entry is [string, boolean] => entry[1] !== null)
  return Object.fromEntries(after.length <= mostChoices ? after : after.filter(([id]) => known.includes(id)))
}
