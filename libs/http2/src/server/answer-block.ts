import { writeLiteral } from '../hpack/encoder.ts'
import { writeInteger } from '../hpack/integer.ts'
import { staticTable } from '../hpack/static-table.ts'

const scratch = Buffer.alloc(16_384)
const statusIndexes = new Map(
  staticTable.flatMap((field, position) => (field.name === ':status' ? [[Number(field.value), position + 1] as const] : [])),
)

/**
 * Encode an answer's header block. Nothing enters the dynamic table: an encoder without state cannot get out of step, and the fields of answers (ids, dates) rarely
 * repeat. `resetTable` starts the block with "table size 0", which a peer that lowered SETTINGS_HEADER_TABLE_SIZE must be told once (RFC 7541 section 4.2).
 * The result is valid until the next call. Throws when the block is over 16,384 bytes.
 */
export function encodeAnswerBlock(status: number, headers: Readonly<Record<string, string>>, resetTable: boolean): Buffer {
  let end = 0
  if (resetTable) scratch[end++] = 0x20
  const statusIndex = statusIndexes.get(status)
  if (statusIndex) end = writeInteger(scratch, end, 0x80, 7, statusIndex)
  else end = writeLiteral(scratch, end, 0, 4, ':status', String(status))
  for (const name in headers) {
    const value = headers[name] as string
    if (end + name.length + value.length + 18 > scratch.length) throw new Error('the headers of an answer are over 16,384 bytes')
    end = writeLiteral(scratch, end, 0, 4, name, value)
  }
  return scratch.subarray(0, end)
}
