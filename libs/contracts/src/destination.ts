import { BlockList, isIP } from 'node:net'
import { bareHost, destinationFormProblem, isLocalName } from './destination-form.ts'

/**
 * Ranges of addresses that are not the public internet (spec: webhooks/url-at-send; IANA special-purpose registries, RFC 6890). A caller who could
 * name such an address could perhaps reach machines of the operator's network. BlockList treats a mapped IPv4 address (`::ffff:…`) as IPv4;
 * the other IPv6 ranges that contain an IPv4 address are refused completely.
 */
const ranges: readonly [network: string, prefix: number][] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT, and a cloud's metadata at 100.100.100.200
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, metadata
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
  ['::', 96], // unspecified, loopback, IPv4-compatible
  ['::ffff:0:0:0', 96], // IPv4-translated (RFC 2765 2.1)
  ['64:ff9b::', 96], // NAT64
  ['64:ff9b:1::', 48], // local NAT64
  ['100::', 64], // discard
  ['2001::', 23], // protocol assignments, Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
  ['5f00::', 16], // segment routing
  ['fc00::', 7], // unique local
  ['fe80::', 10], // link-local
  ['fec0::', 10], // site-local
  ['ff00::', 8], // multicast
]

const notPublic = new BlockList()
for (const [network, prefix] of ranges) notPublic.addSubnet(network, prefix, network.includes(':') ? 'ipv6' : 'ipv4')

/** Whether an IP address, without brackets or zone, is on the public internet. False for a text that is not an address. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  return version !== 0 && !address.includes('%') && !notPublic.check(address, version === 6 ? 'ipv6' : 'ipv4')
}

/**
 * Says what is wrong with an address that a caller wants Herald to post to, as words that follow the name of the field. Undefined when Herald may
 * connect to it: it is https, has no credentials and, unless `allowPrivate`, is neither a name of this machine nor an IP address outside the public
 * internet. `new URL` has brought every spelling of an IP address (0x7f.1, 2130706433, full-width digits) to one form. The addresses that a name
 * resolves to are checked when Herald connects (`@herald/service/guarded-connect`).
 */
export function destinationProblem(destination: string, { allowPrivate }: { allowPrivate: boolean }): string | undefined {
  const problem = destinationFormProblem(destination)
  if (problem !== undefined || allowPrivate) return problem
  const host = bareHost(new URL(destination))
  if (isLocalName(host)) return 'must not be an address of this machine'
  return isIP(host) === 0 || isPublicAddress(host) ? undefined : 'must be an address on the public internet'
}

/**
 * The hosts of the push services of Mozilla, Google (with its older names, and jmt17 for every Chrome but the stable one: Chromium,
 * push_messaging_constants.cc), Apple, Microsoft and Meta (the browser of its headsets: beverloo/peter.sh#54). `*.` stands for every name below the
 * domain.
 */
export const knownPushServices: readonly string[] = [
  '*.push.services.mozilla.com',
  'fcm.googleapis.com',
  'jmt17.google.com',
  'fcm.google.com',
  'android.googleapis.com',
  '*.push.apple.com',
  '*.notify.windows.com',
  'graph.facebook.com',
]

/**
 * Which hosts the endpoints of browsers may have. `hosts` has names, `*.example.com` for every name below example.com, or `*` for every public host.
 * With `allowPrivate` (in development) every host is allowed.
 */
export type EndpointRule = { allowPrivate: boolean; hosts: readonly string[] }

/**
 * Says what is wrong with the endpoint of a browser, as words that follow the name of the field. Undefined when Herald may send a push to the
 * endpoint.
 */
export function endpointProblem(endpoint: string, rule: EndpointRule): string | undefined {
  const problem = destinationProblem(endpoint, rule)
  if (problem !== undefined || rule.allowPrivate) return problem
  return rule.hosts.includes('*') || isNamed(endpoint, rule) ? undefined : 'must be an address of an allowed push service'
}

/**
 * Whether the host of this endpoint is trusted, because the operator or the list of known push services names it. `*` names no host. With
 * `allowPrivate` this machine and names without a dot (containers) are trusted too. Any other name is not, because a device may have made it up.
 */
export function isNamed(endpoint: string, { allowPrivate, hosts }: EndpointRule): boolean {
  const host = bareHost(new URL(endpoint))
  return (allowPrivate && isNearby(host)) || hosts.some((allowed) => isHost(host, allowed))
}

const isNearby = (host: string): boolean => isLocalName(host) || host === '::1' || host.startsWith('127.') || !/[.:]/.test(host)

/** Whether a host is allowed by an entry of the list; `*.example.com` allows every name below example.com. */
const isHost = (host: string, allowed: string): boolean => (allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed)
