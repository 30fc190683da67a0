/** What a field may look like in HTTP/2 (RFC 9113 section 8.2), for requests and answers. */

/** Fields that belong to HTTP/1.1 connections (section 8.2.2). */
const connectionFields = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])

/** Names that were found right. A peer may send any number of others, so the set is bounded. */
const rightNames = new Set<string>()
const mostRightNames = 100

/** Whether a value is of visible ASCII characters alone, as nearly every one is: looked at in a tenth of the time that the rules take. */
export function isVisible(value: string): boolean {
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at)
    if (code < 0x21 || code > 0x7e) return false
  }
  return true
}

/** Likewise `brokenFieldRule`, for fields whose names come again and again. */
export function isUsualField(name: string, value: string): boolean {
  return rightNames.has(name) && isVisible(value)
}

/** The rule that a regular field breaks, or undefined: a token in lower case as name, nothing of HTTP/1.1, no control character that could split a message. */
export function brokenFieldRule(name: string, value: string): string | undefined {
  if (name === '' || /[^!#$%&'*+\-.^_`|~0-9a-z]/.test(name)) return 'invalid field name'
  if (connectionFields.has(name) || (name === 'te' && value !== 'trailers')) return `${name} is not allowed`
  // Whether `te` is right is a matter of its value. Longer names are not ours, and not kept for a peer.
  if (name !== 'te' && name.length <= 64 && rightNames.size < mostRightNames) rightNames.add(name)
  return brokenValueRule(value)
}

/** The rule that a field's value breaks, or undefined (section 8.2.1): no NUL, CR or LF, and no white space at its ends. */
export function brokenValueRule(value: string): string | undefined {
  return /[\0\r\n]|^[ \t]|[ \t]$/.test(value) ? 'invalid field value' : undefined
}

/** The value of `content-length`, or undefined when it is not a plain number. */
export const contentLength = (value: string): number | undefined => (/^\d{1,15}$/.test(value) ? Number(value) : undefined)
