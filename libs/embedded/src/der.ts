/** The part of DER (X.690) that a certificate needs. Each function gives one encoded value. */

const value = (tag: number, content: Buffer): Buffer => Buffer.concat([Buffer.from([tag]), length(content.length), content])

export const sequence = (...parts: Buffer[]): Buffer => value(0x30, Buffer.concat(parts))
export const set = (...parts: Buffer[]): Buffer => value(0x31, Buffer.concat(parts))
export const octets = (content: Buffer): Buffer => value(0x04, content)
export const utf8 = (text: string): Buffer => value(0x0c, Buffer.from(text))
export const truth = Buffer.from([0x01, 0x01, 0xff])

/** Adds a context tag: `explicit` around whole values, `implicit` instead of a primitive value's own tag. */
export const explicit = (number: number, content: Buffer): Buffer => value(0xa0 + number, content)
export const implicit = (number: number, content: Buffer): Buffer => value(0x80 + number, content)

/** Encodes a non-negative integer. A leading zero keeps the highest bit from being read as a sign. */
export function integer(bytes: Buffer): Buffer {
  return value(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes)
}

export const bits = (content: Buffer, unused = 0): Buffer => value(0x03, Buffer.concat([Buffer.from([unused]), content]))

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return value(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

/** Encodes a time (RFC 5280, 4.1.2.5): with two digits of the year until 2049, and with four from then on. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return date.getUTCFullYear() < 2050 ? value(0x17, Buffer.from(digits.slice(2))) : value(0x18, Buffer.from(digits))
}

function length(count: number): Buffer {
  if (count < 0x80) return Buffer.from([count])
  const hex = count.toString(16)
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  return Buffer.concat([Buffer.from([0x80 + bytes.length]), bytes])
}

function base128(number: number): number[] {
  const digits = [number & 0x7f]
  for (let rest = number >>> 7; rest > 0; rest >>>= 7) digits.unshift((rest & 0x7f) | 0x80)
  return digits
}
