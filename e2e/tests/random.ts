/** Random choices that are the same for the same seed. */
export type Random = {
  /** A whole number from 1 to `most`. */
  upTo: (most: number) => number
  chance: (share: number) => boolean
  one: <Item>(of: readonly Item[]) => Item
  /** At least `least` and at most `most` different entries of a list. */
  some: <Item>(of: readonly Item[], least: number, most: number) => Item[]
}

/** Makes random numbers with Mulberry32. Its 32 bits of state are enough for a few thousand numbers. */
export function openRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const upTo = (most: number) => 1 + Math.floor(next() * most)
  return {
    upTo,
    chance: (share) => next() < share,
    one: (of) => {
      const chosen = of[upTo(of.length) - 1]
      if (chosen === undefined) throw new TypeError('nothing to choose from')
      return chosen
    },
    some: (of, least, most) => {
      const left = [...of]
      const count = Math.min(left.length, least - 1 + upTo(most - least + 1))
      return Array.from({ length: count }, () => left.splice(upTo(left.length) - 1, 1)).flat()
    },
  }
}
