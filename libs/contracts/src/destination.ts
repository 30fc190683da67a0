import { BlockList, isIP } from 'node:net'
import { bareHost, destinationFormProblem, isLocalName } from './destination-form.ts'

/**
 * Ranges of addresses that are not the public internet, such as the operator's network (spec: webhooks/url-at-send; IANA special-purpose registries,
 * RFC 6890). BlockList treats a mapped IPv4 address (`::ffff:…`) as IPv4.
 */
const ranges: readonly [network: string, prefix: number][] = [
  ['0.0.0.0', 8], // this network (RFC 791)
  ['10.0.0.0', 8], // private (RFC 1918)
  ['100.64.0.0', 10], // carrier-grade NAT (RFC 6598), and a cloud's metadata at 100.100.100.200
  ['127.0.0.0', 8], // loopback (RFC 1122)
  ['169.254.0.0', 16], // link-local (RFC 3927), metadata
  ['172.16.0.0', 12], // private (RFC 1918)
  ['192.0.0.0', 24], // protocol assignments (RFC 6890)
  ['192.0.2.0', 24], // documentation (RFC 5737)
  ['192.88.99.0', 24], // 6to4 relays (RFC 7526)
  ['192.168.0.0', 16], // private (RFC 1918)
  ['198.18.0.0', 15], // benchmarks (RFC 2544)
  ['198.51.100.0', 24], // documentation (RFC 5737)
  ['203.0.113.0', 24], // documentation (RFC 5737)
  ['224.0.0.0', 4], // multicast (RFC 5771)
  ['240.0.0.0', 4], // reserved (RFC 1112), broadcast
  ['::', 96], // unspecified, loopback, IPv4-compatible (RFC 4291)
  ['::ffff:0:0:0', 96], // IPv4-translated (RFC 2765 2.1)
  ['64:ff9b::', 96], // NAT64 (RFC 6052)
  ['64:ff9b:1::', 48], // local NAT64 (RFC 8215)
  ['100::', 64], // discard (RFC 6666)
  ['100:0:0:1::', 64], // dummy (RFC 9780)
  ['2001::', 23], // protocol assignments (RFC 2928), Teredo (RFC 4380), ORCHID (RFC 7343)
  ['2001:db8::', 32], // documentation (RFC 3849)
  ['2002::', 16], // 6to4 (RFC 3056)
  ['3fff::', 20], // documentation (RFC 9637)
  ['5f00::', 16], // segment routing (RFC 9602)
  ['fc00::', 7], // unique local (RFC 4193)
  ['fe80::', 10], // link-local (RFC 4291)
  ['fec0::', 10], // site-local (RFC 3879)
  ['ff00::', 8], // multicast (RFC 4291)
]

const notPublic = new BlockList()
for (const [network, prefix] of ranges) notPublic.addSubnet(network, prefix, network.includes(':') ? 'ipv6' : 'ipv4')

/** Whether an IP address, without brackets or zone, is on the public internet. False for a text that is not an address. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  return version !== 0 && !address.includes('%') && !notPublic.check(address, version === 6 ? 'ipv6' : 'ipv4')
}

/**
 * Says, after the field's name, what is wrong with an address to post to; undefined when it is https, without credentials and (unless `allowPrivate`)
 * not private. What its name resolves to is checked at the connection (`@herald/service/guarded-connect`).
 */
export function destinationProblem(destination: string, { allowPrivate }: { allowPrivate: boolean }): string | undefined {
  const problem = destinationFormProblem(destination)
  if (problem !== undefined || allowPrivate) return problem
  const host = bareHost(new URL(destination))
  if (isLocalName(host)) return 'must not be an address of this machine'
  return isIP(host) === 0 || isPublicAddress(host) ? undefined : 'must be an address on the public internet'
}

/**
 * The hosts of the push services of Mozilla, Google (jmt17 for Chromium: push_messaging_constants.cc), Apple, Microsoft and Meta
 * (beverloo/peter.sh#54). `*.` stands for every name below the domain.
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
 * Whether the operator or the list of known push services names the host of this endpoint, and so trusts it. `*` names no host. With `allowPrivate`
 * this machine and names without a dot (containers) are trusted too.
 */
export function isNamed(endpoint: string, { allowPrivate, hosts }: EndpointRule): boolean {
  const host = bareHost(new URL(endpoint))
  return (allowPrivate && isNearby(host)) || hosts.some((allowed) => isHost(host, allowed))
}

const isNearby = (host: string): boolean => isLocalName(host) || host === '::1' || host.startsWith('127.') || !/[.:]/.test(host)

/** Whether a host is allowed by an entry of the list; `*.example.com` allows every name below example.com. */
const isHost = (host: string, allowed: string): boolean => (allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed)
