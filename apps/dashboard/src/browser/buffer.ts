const encoder = new TextEncoder()

/**
 * What the contracts use of Node's `Buffer`, for a page: bytes of UTF-8. `alloc` is for modules that keep room for what a page never makes
 * (ids of the platform).
 */
export const Buffer = {
  byteLength: (text: string): number => encoder.encode(text).length,
  from: (text: string): Uint8Array => encoder.encode(text),
  alloc: (size: number): Uint8Array => new Uint8Array(size),
  /** Compares byte by byte: below 0, 0 or above 0. */
  compare(one: Uint8Array, other: Uint8Array): number {
    for (let at = 0; at < one.length && at < other.length; at += 1) {
      const difference = (one[at] ?? 0) - (other[at] ?? 0)
      if (difference !== 0) return difference
    }
    return one.length - other.length
  },
}
