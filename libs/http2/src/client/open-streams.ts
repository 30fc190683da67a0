import type { Stream } from './stream.ts'

const firstPlaces = 64

/**
 * The open streams of a connection by number: a ring buffer, and a map for those that outlast their place. With a map alone a request took 5.3
 * instead of 3.8 µs, small garbage collections 14-35 instead of 2 ms.
 */
export class OpenStreams {
  size = 0
  private places: (Stream | undefined)[] = Array.from({ length: firstPlaces })
  private readonly outlasting = new Map<number, Stream>()

  get(id: number): Stream | undefined {
    const stream = this.places[(id >>> 1) & (this.places.length - 1)]
    if (stream?.id === id) return stream
    return this.outlasting.size > 0 ? this.outlasting.get(id) : undefined
  }

  has(id: number): boolean {
    return this.get(id) !== undefined
  }

  /** Adds a stream. Its number must be higher than any before. */
  add(stream: Stream): void {
    if (this.size * 4 >= this.places.length) this.grow()
    this.put(stream)
    this.size++
  }

  delete(id: number): void {
    const place = (id >>> 1) & (this.places.length - 1)
    if (this.places[place]?.id === id) this.places[place] = undefined
    else if (!this.outlasting.delete(id)) return
    this.size--
  }

  clear(): void {
    this.places.fill(undefined)
    this.outlasting.clear()
    this.size = 0
  }

  /** Gives all open streams, in no particular order. */
  values(): Stream[] {
    return [...this.outlasting.values(), ...this.places.filter((stream) => stream !== undefined)]
  }

  private put(stream: Stream): void {
    const place = (stream.id >>> 1) & (this.places.length - 1)
    const before = this.places[place]
    if (before) this.outlasting.set(before.id, before)
    this.places[place] = stream
  }

  /** Doubles the ring. It has at least four entries for each stream, so that only a stream that is open for very long moves to the map. */
  private grow(): void {
    const all = this.values()
    this.places = Array.from({ length: this.places.length * 2 })
    this.outlasting.clear()
    for (const stream of all) this.put(stream)
  }
}
