import type { TagUse, TagUses } from '@herald/contracts/calls/audience'

/** A tag as it was counted among the users of some blocks of their table. */
export type CountedTag = {
  name: string
  types: string[]
  /** Users who have it, and the sum over the blocks of the square of how many of the block have it. */
  users: number
  squares: number
  values: string[]
}

/** What was read: of all blocks, or of some that were chosen at random. `ofAll`: as many as the table has; null where every user of the app was read. */
export type CountedTags = { tags: CountedTag[]; users: number; squares: number; blocks: number; ofAll: number | null; asOf: Date }

/** Of a normal distribution: 95 % lie within so many standard deviations. */
const within95 = 1.96

/**
 * How many there are in all blocks, by those that were read: the mean of a block times the number of blocks, and the interval that follows from how
 * much the blocks differ. Users who came together lie together and are alike, so the blocks are what was drawn and not the users.
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
  // As many as were seen there are at least.
  return { count: Math.round(count), low: Math.max(sum, Math.floor(count - error)), high: Math.ceil(count + error) }
}

/** The tags in the order of their names. */
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
