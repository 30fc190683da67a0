const encoder = new TextEncoder()

/**
 * Replaces Node's `Buffer` in a page, with only what a page calls through the contracts. `from` knows only UTF-8. `alloc` is here because the
 * contracts' module of ids calls it when it is loaded.
 */
export const Buffer = {
  byteLength: (text: string): number => encoder.encode(text).length,
  from: (text: string): Uint8Array => encoder.encode(text),
  alloc: (size: number): Uint8Array => new Uint8Array(size),
  /** Compares two byte arrays from the front. Gives a number below 0, 0 or above 0. */
  compare(one: Uint8Array, other: Uint8Array): number {
    for (let at = 0; at < one.length && at < other.length; at += 1) {
      const difference = (one[at] ?? 0) - (other[at] ?? 0)
      if (difference !== 0) return difference
    }
    return one.length - other.length
  },
}
