import { writeInteger, writeString } from './integer.ts'
import { staticIndexes, staticTable } from './static-table.ts'

/**
 * How a field is written. `indexed`: it enters the dynamic table if short enough. `literal`: its text is written every time. `never`: likewise, and
 * no proxy may put it in a table either (RFC 7541 section 7.1.3), as secrets need.
 */
export type Indexing = 'indexed' | 'literal' | 'never'

/** How many bytes an entry of the table counts in addition to its text (RFC 7541 section 4.1). */
const entryOverhead = 32
/**
 * The largest header table that the encoder uses, in bytes: the default of SETTINGS_HEADER_TABLE_SIZE. Smaller when the other end asks for less,
 * never larger, which would only cost memory.
 */
const largestTable = 4096

const staticEntries: ReadonlyMap<string, number> = new Map(
  staticTable.map(({ name, value }, position) => [keyOf(name, value), position + 1] as const),
)

/**
 * Encodes header fields (HPACK) for one connection. Blocks must be sent in the order in which their fields were written, because every insertion
 * changes the table of the other end's decoder.
 */
export class HpackEncoder {
  /** Grows whenever the table changes. A block that has only indexes stays right until then. */
  generation = 0
  /** The insertion number of each entry. The newest entry has the number `inserted`. */
  private readonly entries = new Map<string, number>()
  private inserted = 0
  private size = 0
  private limit = largestTable
  /**
   * The smallest limit of the table's size since the last block, if the limit has changed since then; otherwise undefined. The next block must begin
   * with it, so that the decoder changes its table too (RFC 7541 section 4.2).
   */
  private smallestUntold: number | undefined

  /** Applies the other end's SETTINGS_HEADER_TABLE_SIZE. */
  setLimit(tableSize: number): void {
    const limit = Math.min(tableSize, largestTable)
    if (limit === this.limit) return
    this.smallestUntold = Math.min(this.smallestUntold ?? limit, limit)
    this.limit = limit
    this.evict(0)
    this.generation++
  }

  /** Writes the beginning of the next block: updates of the table size, if there are any. Needs 12 bytes of space. Gives the index after it. */
  beginBlock(buffer: Buffer, start: number): number {
    if (this.smallestUntold === undefined) return start
    let end = start
    if (this.smallestUntold < this.limit) end = writeInteger(buffer, end, 0x20, 5, this.smallestUntold)
    end = writeInteger(buffer, end, 0x20, 5, this.limit)
    this.smallestUntold = undefined
    return end
  }

  /** Whether `beginBlock` has an update to write. */
  get hasUntoldLimit(): boolean {
    return this.smallestUntold !== undefined
  }

  /** Writes one field. `mostFieldBytes` says how much space it needs. Gives the index after it. */
  write(buffer: Buffer, start: number, name: string, value: string, indexing: Indexing): number {
    if (indexing === 'never') return writeLiteral(buffer, start, 0x10, 4, name, value)
    const key = keyOf(name, value)
    const staticIndex = staticEntries.get(key)
    if (staticIndex !== undefined) return writeInteger(buffer, start, 0x80, 7, staticIndex)
    const insertion = this.entries.get(key)
    if (insertion !== undefined) return writeInteger(buffer, start, 0x80, 7, staticTable.length + 1 + this.inserted - insertion)

    const size = name.length + value.length + entryOverhead
    // An entry larger than half of a full table would push out at least half of what is in it, so it is not inserted.
    if (indexing === 'literal' || size > this.limit / 2) return writeLiteral(buffer, start, 0, 4, name, value)
    this.evict(size)
    this.entries.set(key, ++this.inserted)
    this.size += size
    this.generation++
    return writeLiteral(buffer, start, 0x40, 6, name, value)
  }

  /** Drops the oldest entries, as the decoder will, until `more` bytes fit. The map is in order of insertion. */
  private evict(more: number): void {
    for (const key of this.entries.keys()) {
      if (this.size + more <= this.limit) return
      this.entries.delete(key)
      // The length of the key is 1 more than the bytes of name and value, because the key has a line break between them.
      this.size -= key.length - 1 + entryOverhead
    }
  }
}

/** Makes the key of a field. A field's name cannot have a line break, so two fields never share a key. */
function keyOf(name: string, value: string): string {
  return `${name}\n${value}`
}

/** Writes a field with its text (RFC 7541 section 6.2). `first` and `prefixBits` say which kind of field it is. Gives the index after it. */
export function writeLiteral(buffer: Buffer, start: number, first: number, prefixBits: number, name: string, value: string): number {
  const nameIndex = staticIndexes.get(name)
  let end = writeInteger(buffer, start, first, prefixBits, nameIndex ?? 0)
  if (nameIndex === undefined) end = writeString(buffer, end, name)
  return writeString(buffer, end, value)
}
