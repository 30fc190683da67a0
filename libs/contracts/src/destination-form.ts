/*
 * Checks of an address by its text alone. The dashboard runs them while the operator types. Where an address lies on the network is checked
 * in destination.ts, which needs Node.
 */

/** Whether a host name means this machine (RFC 6761 6.3, and names that are usual in hosts files), which is known without resolving the name. */
export const isLocalName = (host: string): boolean =>
  /^(?:.+\.)?localhost(?:\.localdomain|[46](?:\.localdomain[46])?)?$/.test(host) ||
  /^(?:.+\.)?localdomain$/.test(host) ||
  /^ip6-(?:localhost|loopback)$/.test(host)

/** Gives the host of a URL without the brackets of an IPv6 address and without a final dot. */
export const bareHost = (url: URL): string => url.hostname.replace(/\.$/, '').replace(/^\[|\]$/g, '')

/**
 * Says what is wrong with the form of an address that Herald is to post to, as words that follow the name of the field. Undefined when nothing is
 * wrong.
 */
export function destinationFormProblem(destination: string): string | undefined {
  if (!URL.canParse(destination)) return 'must be an https URL'
  const url = new URL(destination)
  if (url.protocol !== 'https:') return 'must be an https URL'
  if (url.username !== '' || url.password !== '') return 'must not hold credentials'
  return bareHost(url) === '' ? 'must be an https URL' : undefined
}
