/** Writes an integer with a prefix of `prefixBits` bits (RFC 7541 section 5.1). `first` has the bits before the prefix. Gives the index after it. */
export function writeInteger(buffer: Buffer, start: number, first: number, prefixBits: number, value: number): number {
  const mask = (1 << prefixBits) - 1
  if (value < mask) {
    buffer[start] = first | value
    return start + 1
  }
  let end = start
  buffer[end++] = first | mask
  let rest = value - mask
  for (; rest > 127; rest >>>= 7) buffer[end++] = (rest & 127) | 128
  buffer[end++] = rest
  return end
}

/**
 * Writes a string without the Huffman code (RFC 7541 section 5.2), because that would take more time than the saved bytes are worth. Gives the index
 * after it.
 */
export function writeString(buffer: Buffer, start: number, text: string): number {
  const end = writeInteger(buffer, start, 0, 7, text.length)
  return end + buffer.write(text, end, 'latin1')
}

/** Gives a number of bytes that is enough for a field of this name and value in a block: its text, and three integers of at most six bytes. */
export const mostFieldBytes = (name: string, value: string): number => name.length + value.length + 18
