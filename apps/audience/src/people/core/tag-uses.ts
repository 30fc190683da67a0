import type { TagUse, TagUses } from '@herald/contracts/calls/audience'

/** A tag as it was counted among the users of an app in the blocks that were read (a block is the 8 KiB of a table that Postgres reads at once). */
export type CountedTag = {
  name: string
  types: string[]
  /** How many of the counted users have the tag. */
  users: number
  /** For each block, the number of its users who have the tag is squared; this is the sum of these squares. `estimate` needs it for the interval. */
  squares: number
  values: string[]
}

/**
 * The counted tags and users of an app. `blocks`: how many of the users' table's `ofAll` blocks were read; null when every user was counted.
 * `squares`: the sum of the squared numbers of its users by block.
 */
export type CountedTags = { tags: CountedTag[]; users: number; squares: number; blocks: number; ofAll: number | null; asOf: Date }

/** 95 % of a normal distribution lie within this many standard deviations of its mean. */
const within95 = 1.96

/**
 * Estimates how many users all blocks of a table hold, from the number in the blocks read (`sum`) and how much these differ. It samples blocks, not
 * users, because users of one block are often alike.
 */
export function estimate(
  { sum, squares }: { sum: number; squares: number },
  { blocks, ofAll }: { blocks: number; ofAll: number },
): { count: number; low: number; high: number } {
  const factor = ofAll / blocks
  if (blocks < 2 || blocks >= ofAll) return { count: sum, low: sum, high: sum }
  const variance = (squares - (sum * sum) / blocks) / (blocks - 1)
  const error = within95 * ofAll * Math.sqrt(((1 - blocks / ofAll) * Math.max(0, variance)) / blocks)
  const count = factor * sum
  // The interval does not begin below the number of users that were counted.
  return { count: Math.round(count), low: Math.max(sum, Math.floor(count - error)), high: Math.ceil(count + error) }
}

/**
 * Gives the tags in the order of their names. When only a part of the users was counted, the numbers of users are estimates for all users of the app.
 */
export function tagUsesOf({ tags, users, squares, blocks, ofAll, asOf }: CountedTags): TagUses {
  const all = (sum: number, ofBlocks: number) =>
    ofAll === null ? { count: sum, low: sum, high: sum } : estimate({ sum, squares: ofBlocks }, { blocks, ofAll })
  const shown = tags.map(({ name, types, values, ...counted }): TagUse => {
    const { count, low, high } = all(counted.users, counted.squares)
    return { name, type: typeOf(types), users: count, low, high, values }
  })
  return {
    tags: shown.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    exact: ofAll === null || blocks >= ofAll,
    sample: users,
    users: all(users, squares).count,
    asOf: asOf.toISOString(),
  }
}

const typeOf = ([type, ...others]: string[]): TagUse['type'] =>
  others.length > 0 || (type !== 'string' && type !== 'number' && type !== 'boolean') ? 'mixed' : type
