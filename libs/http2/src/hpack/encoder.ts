import { writeInteger, writeString } from './integer.ts'
import { staticIndexes, staticTable } from './static-table.ts'

/**
 * How a field is written into a header block. `indexed`: it enters the dynamic table, and is one or two bytes from its second use on. `literal`: its text is written every time.
 * `never`: its text is written every time, and no proxy on the way may put it into a table either (RFC 7541 section 7.1.3). This is for secrets.
 */
export type Indexing = 'indexed' | 'literal' | 'never'

/** How many bytes an entry of the table costs beside its text (RFC 7541 section 4.1). */
const entryOverhead = 32
/** The default of SETTINGS_HEADER_TABLE_SIZE, and the most that we use: a peer may ask for less, and more would only cost memory. */
const largestTable = 4096

const staticEntries: ReadonlyMap<string, number> = new Map(
  staticTable.map(({ name, value }, position) => [keyOf(name, value), position + 1] as const),
)

/** The encoding half of HPACK for one connection. It writes fields in the order of their blocks, because every insertion moves the table of the peer's decoder. */
export class HpackEncoder {
  /** Grows whenever the table changes. A block that has only indexes stays right while this number stays. */
  generation = 0
  /** The insertion number of each entry. The newest entry has the number `inserted`. */
  private readonly entries = new Map<string, number>()
  private inserted = 0
  private size = 0
  private limit = largestTable
  /** When the limit has changed since the last block: the smallest that it was. The decoder must hear it first (RFC 7541 section 4.2). */
  private smallestUntold: number | undefined

  /** Takes the peer's SETTINGS_HEADER_TABLE_SIZE. */
  setLimit(tableSize: number): void {
    const limit = Math.min(tableSize, largestTable)
    if (limit === this.limit) return
    this.smallestUntold = Math.min(this.smallestUntold ?? limit, limit)
    this.limit = limit
    this.evict(0)
    this.generation++
  }

  /** Writes what must stand at the beginning of the next block: nothing, or updates of the table size. Needs room for 12 bytes. Gives where it ends. */
  beginBlock(buffer: Buffer, start: number): number {
    if (this.smallestUntold === undefined) return start
    let end = start
    if (this.smallestUntold < this.limit) end = writeInteger(buffer, end, 0x20, 5, this.smallestUntold)
    end = writeInteger(buffer, end, 0x20, 5, this.limit)
    this.smallestUntold = undefined
    return end
  }

  /** Whether `beginBlock` has something to write. */
  get hasUntoldLimit(): boolean {
    return this.smallestUntold !== undefined
  }

  /** Writes one field; `mostFieldBytes` says how much room it needs. Gives where it ends. */
  write(buffer: Buffer, start: number, name: string, value: string, indexing: Indexing): number {
    if (indexing === 'never') return writeLiteral(buffer, start, 0x10, 4, name, value)
    const key = keyOf(name, value)
    const staticIndex = staticEntries.get(key)
    if (staticIndex !== undefined) return writeInteger(buffer, start, 0x80, 7, staticIndex)
    const insertion = this.entries.get(key)
    if (insertion !== undefined) return writeInteger(buffer, start, 0x80, 7, staticTable.length + 1 + this.inserted - insertion)

    const size = name.length + value.length + entryOverhead
    // An entry of more than half the table would push out nearly all others each time.
    if (indexing === 'literal' || size > this.limit / 2) return writeLiteral(buffer, start, 0, 4, name, value)
    this.evict(size)
    this.entries.set(key, ++this.inserted)
    this.size += size
    this.generation++
    return writeLiteral(buffer, start, 0x40, 6, name, value)
  }

  /** Drops the oldest entries, as the decoder will, until `more` bytes have room. The map keeps the order of insertion. */
  private evict(more: number): void {
    for (const key of this.entries.keys()) {
      if (this.size + more <= this.limit) return
      this.entries.delete(key)
      // The separator is not part of the entry.
      this.size -= key.length - 1 + entryOverhead
    }
  }
}

/** A field's name cannot hold a line break, so two fields never share a key. */
function keyOf(name: string, value: string): string {
  return `${name}\n${value}`
}

/** Writes a field with its text (RFC 7541 section 6.2); `first` and `prefixBits` say which kind. Gives where it ends. */
export function writeLiteral(buffer: Buffer, start: number, first: number, prefixBits: number, name: string, value: string): number {
  const nameIndex = staticIndexes.get(name)
  let end = writeInteger(buffer, start, first, prefixBits, nameIndex ?? 0)
  if (nameIndex === undefined) end = writeString(buffer, end, name)
  return writeString(buffer, end, value)
}
