const lengths = { hex: 64, base64url: 43 }
const digits = '0123456789abcdef'

/**
 * Stands in for SHA-256 in a page, which only measures payloads, so only the length matters. The text is the same for the same input and valid in hex
 * and base64url. It protects nothing.
 */
export function hash(_algorithm: 'sha256', text: string, writing: keyof typeof lengths): string {
  let state = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193)
  let written = ''
  while (written.length < lengths[writing]) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d)
    written += digits.charAt((state >>> 28) & 15)
  }
  return written
}

/** Throws, because pages make no ids. The contracts' module of ids imports this function; a page uses that module only to check the form of an id. */
export function randomFillSync(): never {
  throw new Error('a page makes no ids')
}
