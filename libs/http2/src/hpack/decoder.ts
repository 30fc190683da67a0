import { ConnectionError, errorCode } from '../frames.ts'
import { decodeHuffman } from './huffman.ts'
import { staticTable, type Field } from './static-table.ts'

const tableLimit = 4096
/** How many bytes an entry of the table counts in addition to its text (RFC 7541 section 4.1). */
const entryOverhead = 32

const broken = (why: string) => new ConnectionError(errorCode.compressionError, why)

/**
 * How large the header list of a block may be: fields, and bytes of names and values, with 32 more for each field (SETTINGS_MAX_HEADER_LIST_SIZE).
 */
export type HeaderListLimits = { fields: number; bytes: number }

/**
 * Decodes the header blocks of one connection in their order (RFC 7541). Malformed ones throw COMPRESSION_ERROR. Memory is bounded: 4,096 bytes for
 * the table, `limits` for a list, and a string has at most 1.6 times its block's length.
 */
export class HpackDecoder {
  private readonly limits: HeaderListLimits
  /** The entries of the table, newest last. `oldest` is the index of the first entry that is still valid. */
  private entries: Field[] = []
  private oldest = 0
  private size = 0
  private limit = tableLimit
  private position = 0
  private end = 0

  constructor(limits: HeaderListLimits) {
    this.limits = limits
  }

  /**
   * Calls `onField` for every field of the block in `buffer[start, end)`. Gives false when the list exceeds the limits; the rest is then decoded
   * without `onField`, so that the table stays right for the next block.
   */
  decode(buffer: Buffer, start: number, end: number, onField: (name: string, value: string) => void): boolean {
    this.position = start
    this.end = end
    let mayResize = true
    let fields = 0
    let bytes = 0
    let fits = true
    while (this.position < end) {
      const first = buffer[this.position] as number
      if ((first & 0xe0) === 0x20) {
        if (!mayResize) throw broken('table size update after a field')
        this.resize(this.readInteger(buffer, 5))
        continue
      }
      mayResize = false
      let field: Field
      if (first & 0x80) field = this.lookUp(this.readInteger(buffer, 7))
      else if (first & 0x40) {
        field = this.readLiteral(buffer, 6)
        this.insert(field)
      } else field = this.readLiteral(buffer, 4)
      fields++
      bytes += field.name.length + field.value.length + entryOverhead
      if (fields > this.limits.fields || bytes > this.limits.bytes) fits = false
      else onField(field.name, field.value)
    }
    return fits
  }

  private readLiteral(buffer: Buffer, prefixBits: number): Field {
    const index = this.readInteger(buffer, prefixBits)
    const name = index ? this.lookUp(index).name : this.readString(buffer)
    return { name, value: this.readString(buffer) }
  }

  private readInteger(buffer: Buffer, prefixBits: number): number {
    const mask = (1 << prefixBits) - 1
    let value = (buffer[this.position++] as number) & mask
    if (value < mask) return value
    for (let shift = 0; shift <= 21; shift += 7) {
      if (this.position >= this.end) throw broken('integer cut off')
      const byte = buffer[this.position++] as number
      value += (byte & 127) << shift
      if (!(byte & 128)) return value
    }
    throw broken('integer too large')
  }

  private readString(buffer: Buffer): string {
    if (this.position >= this.end) throw broken('string cut off')
    const isHuffman = (buffer[this.position] as number) & 0x80
    const length = this.readInteger(buffer, 7)
    const start = this.position
    this.position += length
    if (this.position > this.end) throw broken('string cut off')
    const text = isHuffman ? decodeHuffman(buffer, start, this.position) : buffer.toString('latin1', start, this.position)
    if (text === undefined) throw broken('invalid Huffman code')
    return text
  }

  private lookUp(index: number): Field {
    const field = index <= staticTable.length ? staticTable[index - 1] : this.dynamicEntry(index - staticTable.length)
    if (!field) throw broken(`no field at index ${index}`)
    return field
  }

  private dynamicEntry(nth: number): Field | undefined {
    const position = this.entries.length - nth
    return position >= this.oldest ? this.entries[position] : undefined
  }

  private insert(field: Field): void {
    this.entries.push(field)
    this.size += field.name.length + field.value.length + entryOverhead
    this.evict()
  }

  private resize(limit: number): void {
    if (limit > tableLimit) throw broken('table larger than allowed')
    this.limit = limit
    this.evict()
  }

  private evict(): void {
    while (this.size > this.limit) {
      const field = this.entries[this.oldest++] as Field
      this.size -= field.name.length + field.value.length + entryOverhead
    }
    // Dropped entries are removed in bulk: shifting the array at every insertion would move up to 128 entries per request.
    if (this.oldest > 512) {
      this.entries = this.entries.slice(this.oldest)
      this.oldest = 0
    }
  }
}
