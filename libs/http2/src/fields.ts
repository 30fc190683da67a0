/** What a header field may look like in HTTP/2 (RFC 9113 section 8.2), in requests and answers. */

/** The names of fields that belong to HTTP/1.1 connections (section 8.2.2). */
const connectionFields = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])

/** Field names that were checked and are right. At most `mostRightNames` are remembered, because the other end may send any number of names. */
const rightNames = new Set<string>()
const mostRightNames = 100

/**
 * Says whether a value has only visible ASCII characters, as nearly every value does. Such a value breaks no rule, and this check takes a tenth of
 * the time that the full rules take.
 */
export function isVisible(value: string): boolean {
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at)
    if (code < 0x21 || code > 0x7e) return false
  }
  return true
}

/**
 * Says whether a field surely breaks no rule: its name was checked before and its value is visible ASCII. True for most fields and faster than
 * `brokenFieldRule`, so it is asked first.
 */
export function isUsualField(name: string, value: string): boolean {
  return rightNames.has(name) && isVisible(value)
}

/**
 * Gives the rule that a regular field breaks; undefined when it breaks none. A name must be a token in lower case and must not belong to HTTP/1.1.
 * For its value see `brokenValueRule`.
 */
export function brokenFieldRule(name: string, value: string): string | undefined {
  if (name === '' || /[^!#$%&'*+\-.^_`|~0-9a-z]/.test(name)) return 'invalid field name'
  if (connectionFields.has(name) || (name === 'te' && value !== 'trailers')) return `${name} is not allowed`
  // Whether `te` is allowed depends on its value. Herald's own names are shorter than 64 characters, so longer names are not remembered.
  if (name !== 'te' && name.length <= 64 && rightNames.size < mostRightNames) rightNames.add(name)
  return brokenValueRule(value)
}

/** Gives the rule that a field's value breaks; undefined when it breaks none (section 8.2.1): no NUL, CR or LF, and no white space at its ends. */
export function brokenValueRule(value: string): string | undefined {
  return /[\0\r\n]|^[ \t]|[ \t]$/.test(value) ? 'invalid field value' : undefined
}

/** Gives the value of `content-length`; undefined when it is not a plain number of at most 15 digits. */
export const contentLength = (value: string): number | undefined => (/^\d{1,15}$/.test(value) ? Number(value) : undefined)
