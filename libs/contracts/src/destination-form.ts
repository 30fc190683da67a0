/*
 * What can be said of an address from its text alone. A page in a browser says it while somebody types; what an address is on the network is judged
 * in destination.ts, which needs Node.
 */

/** Names of this machine (RFC 6761 6.3 and what is found in hosts files): refused before anybody resolves them. */
export const isLocalName = (host: string): boolean =>
  /^(?:.+\.)?localhost(?:\.localdomain|[46](?:\.localdomain[46])?)?$/.test(host) ||
  /^(?:.+\.)?localdomain$/.test(host) ||
  /^ip6-(?:localhost|loopback)$/.test(host)

/** A host without the brackets of an IPv6 address and the dot of the root. */
export const bareHost = (url: URL): string => url.hostname.replace(/\.$/, '').replace(/^\[|\]$/g, '')

/** What is wrong with the form of an address that we are to post to, as a sentence that goes on from the field's name; undefined: nothing. */
export function destinationFormProblem(destination: string): string | undefined {
  if (!URL.canParse(destination)) return 'must be an https URL'
  const url = new URL(destination)
  if (url.protocol !== 'https:') return 'must be an https URL'
  if (url.username !== '' || url.password !== '') return 'must not hold credentials'
  return bareHost(url) === '' ? 'must be an https URL' : undefined
}
