import { HpackEncoder, writeLiteral } from '../hpack/encoder.ts'
import { mostFieldBytes } from '../hpack/integer.ts'
import type { HeadField, PreparedHead } from './head.ts'
import type { Request } from './stream.ts'

/** A head as one connection encodes it: first the pseudo-headers, then, from index `split`, the fields. A request's path goes between them. */
export type HeadBytes = { readonly bytes: Buffer; readonly split: number; readonly generation: number }

/** Encodes the header blocks of one connection's requests, in the order in which they are sent. */
export class RequestEncoder {
  private readonly hpack = new HpackEncoder()
  /** The encoded heads that consist only of indexes and literals. They stay right until the table's generation changes. */
  private readonly known = new WeakMap<PreparedHead, HeadBytes>()
  private lastHead: PreparedHead | undefined
  private lastBytes: HeadBytes | undefined

  /** Applies the server's SETTINGS_HEADER_TABLE_SIZE. */
  setTableSize(size: number): void {
    this.hpack.setLimit(size)
    this.lastHead = undefined
  }

  /**
   * Gives the bytes of a head for the block that is sent next. From its second use on, each indexed field is one or two bytes, as long as it is in
   * the table.
   */
  head(head: PreparedHead): HeadBytes {
    if (head === this.lastHead && this.lastBytes?.generation === this.hpack.generation) return this.lastBytes
    const known = this.hpack.hasUntoldLimit ? undefined : this.known.get(head)
    const bytes = known?.generation === this.hpack.generation ? known : this.encode(head)
    this.lastHead = head
    this.lastBytes = bytes
    return bytes
  }

  private encode(head: PreparedHead): HeadBytes {
    let most = 12
    for (const [name, value] of head.pseudoHeaders) most += mostFieldBytes(name, value)
    for (const [name, value] of head.fields) most += mostFieldBytes(name, value)
    const buffer = Buffer.allocUnsafe(most)
    const before = this.hpack.generation
    const begin = this.hpack.beginBlock(buffer, 0)
    let end = begin
    for (const [name, value, indexing] of head.pseudoHeaders) end = this.hpack.write(buffer, end, name, value, indexing)
    const split = end
    for (const [name, value, indexing] of head.fields) end = this.hpack.write(buffer, end, name, value, indexing)
    const isLasting = this.hpack.generation === before && begin === 0
    // The bytes of a block that inserts an entry or changes the table size can be sent only once. Such a head gets the generation -1, which no table
    // ever has, so it is encoded anew the next time.
    const made = { bytes: buffer.subarray(0, end), split, generation: isLasting ? before : -1 }
    if (isLasting) this.known.set(head, made)
    return made
  }
}

/**
 * Writes a request's path, and gives the index after it. The path may hold a device's token, so no table, on the server or on a proxy, may store it.
 */
export const writePath = (buffer: Buffer, start: number, path: string): number => writeLiteral(buffer, start, 0x10, 4, ':path', path)

/** Writes a field of a single request, and gives the index after it. The field enters no table, since it would push out fields that repeat. */
export const writeField = (buffer: Buffer, start: number, [name, value, indexing]: HeadField): number =>
  writeLiteral(buffer, start, indexing === 'never' ? 0x10 : 0, 4, name, value)

/** The longest `content-length` field in bytes: its name and a number of 16 digits. */
const mostLengthBytes = mostFieldBytes('content-length', '0'.repeat(16))

/** Gives a number of bytes that is enough for the whole block. */
export function mostBlockBytes(head: HeadBytes, path: string, more: readonly HeadField[] | undefined): number {
  let most = head.bytes.length + mostFieldBytes('', path) + mostLengthBytes
  if (more) for (const [name, value] of more) most += mostFieldBytes(name, value)
  return most
}

/**
 * Writes a whole header block, and gives the index after it. Each request says its `content-length` (RFC 9110 8.6), since some servers answer 411
 * without it. It takes 6 bytes here, where the body was measured anyway.
 */
export function writeBlock(
  buffer: Buffer,
  start: number,
  head: HeadBytes,
  { path, more }: Pick<Request, 'path' | 'more'>,
  bodyBytes: number,
): number {
  let end = start + head.bytes.copy(buffer, start, 0, head.split)
  end = writePath(buffer, end, path)
  end += head.bytes.copy(buffer, end, head.split)
  end = writeLiteral(buffer, end, 0, 4, 'content-length', String(bodyBytes))
  if (more) for (const field of more) end = writeField(buffer, end, field)
  return end
}
