/**
 * Counts how often a device gets a message again, in a table of 64-bit hashes: 16 to 32 bytes a pair of device and message. Among a million pairs a
 * false copy's chance is 1 in 37 million.
 */
export class CopyCounter {
  copies = 0
  private size = 0
  private cells = new Uint32Array(2 * 4096)

  add(deviceIndex: number, msgId: string): void {
    let high = (0x811c9dc5 ^ deviceIndex) >>> 0
    let low = Math.imul(deviceIndex + 1, 0x9e3779b1) >>> 0
    for (let index = 0; index < msgId.length; index++) {
      const code = msgId.charCodeAt(index)
      high = Math.imul(high ^ code, 0x01000193)
      low = Math.imul((low << 5) ^ (low >>> 27) ^ code, 0x85ebca6b)
    }
    // A cell is free while its first number is 0, so `high` is never 0.
    if (this.insert(mix(high) || 1, mix(low ^ high))) this.copies++
  }

  /** Adds a hash to the table. Gives true when the table had it already. */
  private insert(high: number, low: number): boolean {
    if (this.size * 4 > this.cells.length) this.grow()
    const mask = this.cells.length / 2 - 1
    for (let cell = low & mask; ; cell = (cell + 1) & mask) {
      if (this.cells[2 * cell] === 0) {
        this.cells[2 * cell] = high
        this.cells[2 * cell + 1] = low
        this.size++
        return false
      }
      if (this.cells[2 * cell] === high && this.cells[2 * cell + 1] === low) return true
    }
  }

  private grow(): void {
    const old = this.cells
    this.cells = new Uint32Array(old.length * 2)
    this.size = 0
    for (let cell = 0; cell < old.length; cell += 2) if (old[cell]) this.insert(old[cell] as number, old[cell + 1] as number)
  }
}

/** Mixes the bits of a hash, as MurmurHash3 does at its end: a change of one input bit changes about half of the output bits. */
function mix(value: number): number {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
