import { writeInteger, writeString } from './integer.ts'
import { staticIndexes, staticTable } from './static-table.ts'

/**
 * How a field goes into a header block. `indexed`: it enters the dynamic table and is one or two bytes from its second use on. `literal`: its text every time.
 * `never`: the same, and nobody on the way may put it into a table either (RFC 7541 section 7.1.3): for secrets.
 */
export type Indexing = 'indexed' | 'literal' | 'never'

/** RFC 7541 section 4.1: what an entry costs beside its text. */
const entryOverhead = 32
/** The default of SETTINGS_HEADER_TABLE_SIZE. A peer may ask for less; more would only cost memory. */
const largestTable = 4096

const staticEntries: ReadonlyMap<string, number> = new Map(
  staticTable.map(({ name, value }, position) => [keyOf(name, value), position + 1] as const),
)

/** The encoding half of HPACK for one connection: it writes fields in the order of their blocks, because every insertion moves the table of the peer's decoder. */
export class HpackEncoder {
  /** Grows whenever the table changes. A block made of indexes alone stays true while this number stays. */
  generation = 0
  /** The insertion number of each entry; the newest has the number `inserted`. */
  private readonly entries = new Map<string, number>()
  private inserted = 0
  private size = 0
  private limit = largestTable
  /** The smallest limit since the last block, when the limit changed: the decoder must hear it first (RFC 7541 section 4.2). */
  private smallestUntold: number | undefined

  /** Take the peer's SETTINGS_HEADER_TABLE_SIZE. */
  setLimit(tableSize: number): void {
    const limit = Math.min(tableSize, largestTable)
    if (limit === this.limit) return
    this.smallestUntold = Math.min(this.smallestUntold ?? limit, limit)
    this.limit = limit
    this.evict(0)
    this.generation++
  }

  /** Write what must stand at the beginning of the next block: nothing, or table size updates. Needs room for 12 bytes. Returns where it ends. */
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

  /** Write one field; `mostFieldBytes` says how much room it needs. Returns where it ends. */
  write(buffer: Buffer, start: number, name: string, value: string, indexing: Indexing): number {
    if (indexing === 'never') return writeLiteral(buffer, start, 0x10, 4, name, value)
    const key = keyOf(name, value)
    const staticIndex = staticEntries.get(key)
    if (staticIndex !== undefined) return writeInteger(buffer, start, 0x80, 7, staticIndex)
    const insertion = this.entries.get(key)
    if (insertion !== undefined) return writeInteger(buffer, start, 0x80, 7, staticTable.length + 1 + this.inserted - insertion)

    const size = name.length + value.length + entryOverhead
    // An entry of over half the table would push out nearly all the others at every turn.
    if (indexing === 'literal' || size > this.limit / 2) return writeLiteral(buffer, start, 0, 4, name, value)
    this.evict(size)
    this.entries.set(key, ++this.inserted)
    this.size += size
    this.generation++
    return writeLiteral(buffer, start, 0x40, 6, name, value)
  }

  /** Drop the oldest entries, as the decoder will, until `more` bytes have room. The map keeps the order of insertion. */
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

/** A field whose text is written out (RFC 7541 section 6.2); `first` and `prefixBits` say which kind. Returns where it ends. */
export function writeLiteral(buffer: Buffer, start: number, first: number, prefixBits: number, name: string, value: string): number {
  const nameIndex = staticIndexes.get(name)
  let end = writeInteger(buffer, start, first, prefixBits, nameIndex ?? 0)
  if (nameIndex === undefined) end = writeString(buffer, end, name)
  return writeString(buffer, end, value)
}
