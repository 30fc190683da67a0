import { brokenFieldRule, brokenValueRule, isUsualField, isVisible } from '../fields.ts'
import type { Indexing } from '../hpack/encoder.ts'

/** A header field. In a head it is `indexed` unless it says otherwise. The fields of one request alone enter no table; for them only `never` makes a difference. */
export type HeadField = readonly [name: string, value: string, indexing?: Indexing]

/** The part of a request's header block that repeats. It is made once and kept: each connection remembers the bytes of the heads that it has seen. */
export type PreparedHead = { readonly pseudoHeaders: readonly Required<HeadField>[]; readonly fields: readonly Required<HeadField>[] }

/**
 * Makes what many requests have in common: method, authority and fields. Each request has a path of its own.
 * Throws TypeError for a field that HTTP/2 does not allow; the message has the name and never the value.
 */
export function prepareHead({
  method = 'POST',
  authority,
  fields,
}: {
  method?: string
  /** The host and port of the URL, as in `:authority`. */
  authority: string
  fields: readonly HeadField[]
}): PreparedHead {
  const pseudoHeaders: Required<HeadField>[] = [
    [':method', method, 'indexed'],
    [':scheme', 'https', 'indexed'],
    [':authority', authority, 'indexed'],
  ]
  for (const [name, value] of pseudoHeaders) if (value === '' || !isFieldText(value)) throw new TypeError(`${name}: invalid value`)
  for (const field of fields) checkField(field)
  return { pseudoHeaders, fields: fields.map(([name, value, indexing = 'indexed']) => [name, value, indexing]) }
}

/** Throws TypeError when a field of a request of ours is not allowed. */
export function checkField(field: HeadField): void {
  const name = field[0]
  const value = field[1]
  if (isUsualField(name, value)) return
  const broken = brokenFieldRule(name, value)
  // A wrong name may be anything, also a value in the wrong place, so the message does not repeat it.
  if (broken === 'invalid field name') throw new TypeError(broken)
  if (broken !== undefined || !isFieldText(value)) throw new TypeError(`${name}: ${broken ?? 'invalid field value'}`)
}

/** Throws TypeError unless the path is one of visible ASCII characters that begins with a slash. */
export function checkPath(path: string): void {
  if (path.charCodeAt(0) !== 0x2f || !isVisible(path)) throw new TypeError('the path of a request is no visible ASCII that begins with "/"')
}

/** Each character is one byte, so a text has as many bytes as characters. */
const isFieldText = (value: string): boolean => !/[^\t\u0020-\u007e\u0080-\u00ff]/.test(value) && brokenValueRule(value) === undefined
