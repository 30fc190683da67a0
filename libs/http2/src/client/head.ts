import { brokenFieldRule, brokenValueRule, isUsualField, isVisible } from '../fields.ts'
import type { Indexing } from '../hpack/encoder.ts'

/** A header field. In a head it is `indexed` unless it says otherwise. Fields of a single request enter no table; for them only `never` matters. */
export type HeadField = readonly [name: string, value: string, indexing?: Indexing]

/**
 * The part of a header block that many requests have in common. It is made once. A connection uses the encoded bytes again while its header table
 * does not change.
 */
export type PreparedHead = { readonly pseudoHeaders: readonly Required<HeadField>[]; readonly fields: readonly Required<HeadField>[] }

/**
 * Makes what many requests have in common: method, authority and fields. Each request has a path of its own. Throws TypeError for a field that HTTP/2
 * does not allow; the message never has the field's value.
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

/** Throws TypeError when a request may not have this field. */
export function checkField(field: HeadField): void {
  const name = field[0]
  const value = field[1]
  if (isUsualField(name, value)) return
  const broken = brokenFieldRule(name, value)
  // A wrong name may be anything, even a secret value in the wrong argument, so the message does not repeat it.
  if (broken === 'invalid field name') throw new TypeError(broken)
  if (broken !== undefined || !isFieldText(value)) throw new TypeError(`${name}: ${broken ?? 'invalid field value'}`)
}

/** Throws TypeError unless the path begins with a slash and has only visible ASCII characters. */
export function checkPath(path: string): void {
  if (path.charCodeAt(0) !== 0x2f || !isVisible(path))
    throw new TypeError('the path of a request must begin with "/" and have only visible ASCII characters')
}

/** Says whether a value is allowed and has only characters of one byte, so that its length in bytes is its number of characters. */
const isFieldText = (value: string): boolean => !/[^\t\u0020-\u007e\u0080-\u00ff]/.test(value) && brokenValueRule(value) === undefined
