import { fail, preface } from '../frames.ts'

/** A function that takes the first bytes of a connection, which must be the client's preface (RFC 9113 section 3.4), and answers what comes after them. */
export function expectPreface(): (bytes: Buffer) => Buffer {
  let seen = 0
  return (bytes) => {
    if (seen === preface.length) return bytes
    const length = Math.min(preface.length - seen, bytes.length)
    if (!bytes.subarray(0, length).equals(preface.subarray(seen, seen + length))) fail('no preface')
    seen += length
    return bytes.subarray(length)
  }
}
