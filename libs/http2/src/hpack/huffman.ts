/** The number of bits of each symbol's code, for the bytes 0 to 255 and EOS (RFC 7541 Appendix B). The codes themselves follow from the lengths. */
// oxfmt-ignore
export const codeLengths: readonly number[] = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
  15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
  20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
  22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
  26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
  20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
  30,
]

/**
 * The code tree: each inner node has 16 entries, for the next four bits. An entry is `next << 9`, plus `0x100 | symbol` when they complete a symbol;
 * -1 means no code. 33 KB; eight bits would need 256.
 */
const [steps, mayEnd] = buildSteps()

const scratch = Buffer.alloc(262_144)

/**
 * Decodes a Huffman-coded string (RFC 7541 section 5.2, Appendix B). Gives undefined when the bytes are no such string: an unknown code, EOS inside,
 * padding of more than 7 bits or not all ones.
 */
export function decodeHuffman(buffer: Buffer, start: number, end: number): string | undefined {
  // The shortest code has 5 bits, so the text has at most 8/5 as many bytes as the code.
  if ((end - start) * 1.6 > scratch.length) return undefined
  let state = 0
  let length = 0
  for (let index = start; index < end; index++) {
    const byte = buffer[index] as number
    const high = steps[state * 16 + (byte >> 4)] as number
    if (high < 0) return undefined
    if (high & 0x100) scratch[length++] = high & 255
    const low = steps[(high >> 9) * 16 + (byte & 15)] as number
    if (low < 0) return undefined
    if (low & 0x100) scratch[length++] = low & 255
    state = low >> 9
  }
  return mayEnd[state] ? scratch.toString('latin1', 0, length) : undefined
}

/** Makes the codes from their lengths: shorter codes first, then in the order of symbols (the table of Appendix B is canonical). */
function buildCodes(): { symbol: number; length: number; code: number }[] {
  const order = codeLengths
    .map((length, symbol) => ({ symbol, length, code: 0 }))
    .toSorted((a, b) => a.length - b.length || a.symbol - b.symbol)
  let code = 0
  let length = 0
  for (const entry of order) {
    code *= 2 ** (entry.length - length)
    length = entry.length
    entry.code = code++
  }
  return order
}

function buildSteps(): [Int32Array, Uint8Array] {
  const endOfString = 256
  const none = -1
  const children: [number, number][] = [[none, none]]
  const symbols: number[] = [none]
  for (const { symbol, length, code } of buildCodes()) {
    let node = 0
    for (let bit = length - 1; bit >= 0; bit--) {
      const side = (Math.floor(code / 2 ** bit) & 1) as 0 | 1
      const branch = children[node] as [number, number]
      if (branch[side] === none) {
        branch[side] = children.push([none, none]) - 1
        symbols.push(none)
      }
      node = branch[side]
    }
    symbols[node] = symbol
  }

  const table = new Int32Array(children.length * 16).fill(-1)
  const ends = new Uint8Array(children.length)
  // Padding is the beginning of EOS: all ones, and shorter than a byte. So a string may end at the first eight nodes down the right side of the tree.
  for (let node = 0, depth = 0; depth < 8; depth++, node = (children[node] as [number, number])[1]) ends[node] = 1
  for (let start = 0; start < children.length; start++) {
    for (let nibble = 0; nibble < 16; nibble++) {
      let node = start
      let emitted = 0
      for (let bit = 3; bit >= 0 && node !== none; bit--) {
        node = (children[node] as [number, number])[((nibble >> bit) & 1) as 0 | 1]
        const symbol = node === none ? none : (symbols[node] as number)
        if (symbol === endOfString) node = none
        else if (symbol !== none) {
          emitted = 0x100 | symbol
          node = 0
        }
      }
      if (node !== none) table[start * 16 + nibble] = (node << 9) | emitted
    }
  }
  return [table, ends]
}
