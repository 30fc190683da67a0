type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array

/** A list of numbers in a typed array, which grows by doubling. */
export class GrowingNumbers {
  length = 0
  private readonly make: new (capacity: number) => Numbers
  private values: Numbers

  constructor(make: new (capacity: number) => Numbers) {
    this.make = make
    this.values = new make(1024)
  }

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new this.make(this.length * 2)
      larger.set(this.values)
      this.values = larger
    }
    this.values[this.length++] = value
  }

  at(index: number): number {
    return this.values[index] as number
  }

  set(index: number, value: number): void {
    this.values[index] = value
  }
}

const slabBytes = 4_194_304

/** Stores bytes in slabs of 4 MiB, addressed by one number. Memory is freed only together with the whole arena. */
export class Arena {
  private readonly slabs: Buffer[] = []
  private used = slabBytes

  /** Stores a text followed by bytes, at most 4 MiB together. Gives the address of the text. */
  write(text: string, bytes: Buffer): number {
    const length = Buffer.byteLength(text) + bytes.length
    if (this.used + length > slabBytes) {
      this.slabs.push(Buffer.allocUnsafe(slabBytes))
      this.used = 0
    }
    const slab = this.slabs.at(-1) as Buffer
    const place = (this.slabs.length - 1) * slabBytes + this.used
    this.used += slab.write(text, this.used)
    this.used += bytes.copy(slab, this.used)
    return place
  }

  /** Gives the bytes at an address, as a view and not a copy. */
  read(place: number, length: number): Buffer {
    const slab = this.slabs[Math.floor(place / slabBytes)]
    const start = place % slabBytes
    return slab ? slab.subarray(start, start + length) : Buffer.alloc(0)
  }
}
