/** Schemes whose addresses run code, hold data or read files of the device instead of opening a page or an app's screen (spec: content/links). */
const refusedSchemes = new Set(['javascript:', 'data:', 'vbscript:', 'file:'])

export const maxAddressLength = 2048

/** Characters that a URL may not hold as written: `URL` would silently drop tabs and line ends, so `java\nscript:` would pass. */
const notInAddress = /[\s\p{Cc}<>"\\]/u

/**
 * Says why a notification may not open this address; undefined when it may. A notification may open absolute URLs, and deep links with a mobile app's
 * own scheme, but no URL with one of the `refusedSchemes`.
 */
export function whyNotLink(value: string): string | undefined {
  if (notInAddress.test(value) || !URL.canParse(value))
    return 'must be an absolute URL or a deep link, such as https://example.com or shop://cart'
  const { protocol } = new URL(value)
  if (refusedSchemes.has(protocol)) return `must not use the scheme ${protocol}`
  if ((protocol === 'http:' || protocol === 'https:') && !/^https?:\/\/[^/?#]/i.test(value))
    return 'must have // and a host after its scheme'
  return undefined
}

/** The hosts of this machine itself, from which a trial without TLS serves pictures. No device elsewhere can load from them. */
const ofThisMachine = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?\//i

/**
 * Says why a text cannot be the address of an image; undefined when it can. It is https, because iOS loads no other images, or http of this machine
 * itself, where Herald is tried.
 */
export function whyNotImage(value: string): string | undefined {
  return notInAddress.test(value) || !URL.canParse(value) || !(/^https:\/\/[^/?#]/i.test(value) || ofThisMachine.test(value))
    ? 'must be an https URL'
    : undefined
}
