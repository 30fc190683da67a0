import { ConnectionError, errorCode } from './frames.ts'
import { decodeHuffman } from './huffman.ts'
import { staticIndexes, staticTable, type Field } from './static-table.ts'

const tableLimit = 4096
/** RFC 7541 section 4.1: what an entry costs beside its text. */
const entryOverhead = 32

const broken = (why: string) => new ConnectionError(errorCode.compressionError, why)

/** Decodes the header blocks of one connection in order (RFC 7541); its dynamic table is the connection's state. Anything malformed throws COMPRESSION_ERROR. */
export class HpackDecoder {
  /** Newest last; `oldest` is the first one still in the table. */
  private entries: Field[] = []
  private oldest = 0
  private size = 0
  private limit = tableLimit
  private position = 0
  private end = 0

  /** Call `onField` for every field of the block in `buffer[start, end)`. */
  decode(buffer: Buffer, start: number, end: number, onField: (name: string, value: string) => void): void {
    this.position = start
    this.end = end
    let mayResize = true
    while (this.position < end) {
      const first = buffer[this.position] as number
      if ((first & 0xe0) === 0x20) {
        if (!mayResize) throw broken('table size update after a field')
        this.resize(this.readInteger(buffer, 5))
        continue
      }
      mayResize = false
      if (first & 0x80) {
        const field = this.lookUp(this.readInteger(buffer, 7))
        onField(field.name, field.value)
      } else if (first & 0x40) {
        const field = this.readLiteral(buffer, 6)
        this.insert(field)
        onField(field.name, field.value)
      } else {
        const field = this.readLiteral(buffer, 4)
        onField(field.name, field.value)
      }
    }
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
    // Evicted entries are dropped in bulk: shifting the array at every insertion would move up to 128 entries per request.
    if (this.oldest > 512) {
      this.entries = this.entries.slice(this.oldest)
      this.oldest = 0
    }
  }
}

const scratch = Buffer.alloc(16_384)
const statusIndexes = new Map(
  staticTable.flatMap((field, position) => (field.name === ':status' ? [[Number(field.value), position + 1] as const] : [])),
)
const encodedNames = new Map<string, Buffer>()

/**
 * Encode an answer's header block. Nothing enters the dynamic table: an encoder without state cannot get out of step, and the fields of answers (ids, dates) rarely
 * repeat. `resetTable` starts the block with "table size 0", which a peer that lowered SETTINGS_HEADER_TABLE_SIZE must be told once (RFC 7541 section 4.2).
 * The result is valid until the next call.
 */
export function encodeHeaders(status: number, headers: Readonly<Record<string, string>>, resetTable: boolean): Buffer {
  let end = 0
  if (resetTable) scratch[end++] = 0x20
  const statusIndex = statusIndexes.get(status)
  if (statusIndex) scratch[end++] = 0x80 | statusIndex
  else end = writeField(':status', String(status), end)
  for (const name in headers) end = writeField(name, headers[name] as string, end)
  return scratch.subarray(0, end)
}

function writeField(name: string, value: string, start: number): number {
  let encoded = encodedNames.get(name)
  if (!encoded) {
    const index = staticIndexes.get(name)
    encoded = Buffer.from(index ? integer(index, 4) : [0, ...integer(name.length, 7), ...Buffer.from(name, 'latin1')])
    encodedNames.set(name, encoded)
  }
  let end = start + encoded.copy(scratch, start)
  if (value.length < 127) scratch[end++] = value.length
  else for (const byte of integer(value.length, 7)) scratch[end++] = byte
  return end + scratch.write(value, end, 'latin1')
}

/** RFC 7541 section 5.1, with the bits before the prefix zero. */
function integer(value: number, prefixBits: number): number[] {
  const mask = (1 << prefixBits) - 1
  if (value < mask) return [value]
  const bytes = [mask]
  let rest = value - mask
  for (; rest > 127; rest >>= 7) bytes.push((rest & 127) | 128)
  bytes.push(rest)
  return bytes
}
