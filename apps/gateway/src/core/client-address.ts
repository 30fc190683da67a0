import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net'

/** The proxies that are trusted when TRUSTED_PROXIES is not set: this machine and private networks. */
export const privateNetworks = '127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,169.254.0.0/16,::1/128,fc00::/7,fe80::/10'

/** Reads a comma list of addresses and CIDR ranges; undefined when an entry is neither. */
export function parseRanges(text: string): BlockList | undefined {
  const ranges = new BlockList()
  for (const entry of text.split(',').map((one) => one.trim())) {
    if (entry === '') continue
    const [address = '', prefix] = entry.split('/')
    const bits = isIPv4(address) ? 32 : 128
    const length = prefix === undefined ? bits : Number(prefix)
    if (isIP(address) === 0 || prefix === '' || !Number.isInteger(length) || length < 0 || length > bits) return undefined
    ranges.addSubnet(address, length, bits === 32 ? 'ipv4' : 'ipv6')
  }
  return ranges
}

/**
 * The proxies whose headers are believed. `isGiven`: the operator has named them. Otherwise they are `privateNetworks`, and the proxy among them must
 * overwrite x-forwarded-for: in one that appends, the client writes the first address.
 */
export type TrustedProxies = { ranges: BlockList; isGiven: boolean }

/** Reads TRUSTED_PROXIES, which may be missing; undefined when an entry of it is no range. */
export function readTrustedProxies(text: string | undefined): TrustedProxies | undefined {
  const ranges = parseRanges(text ?? privateNetworks)
  return ranges && { ranges, isGiven: text !== undefined }
}

type Asking = { peer: string | undefined; forwardedFor: string | undefined; realIp: string | undefined }

/**
 * Gives the client address that rate limits count by (spec: limits/client-address): from x-forwarded-for, else x-real-ip, else the connection. The
 * headers are believed only from a trusted proxy: another client could write a new address into every request.
 */
export function clientAddress({ peer, forwardedFor, realIp }: Asking, trusted: TrustedProxies): string {
  const direct = readAddress(peer)
  if (direct === undefined) return 'unknown'
  if (!isAmong(direct, trusted.ranges)) return direct
  const forwarded = trusted.isGiven ? lastStranger(forwardedFor, trusted.ranges) : readAddress(forwardedFor?.split(',', 1)[0])
  return forwarded ?? readAddress(realIp) ?? direct
}

/** So many proxies may stand in a row. What is further left of them in x-forwarded-for is not read. */
const mostHops = 16

/**
 * Gives the last address in x-forwarded-for that is no trusted proxy: each trusted proxy has written the address at its other end. The first of the list
 * when all are trusted; undefined when the last is no address.
 */
function lastStranger(forwardedFor: string | undefined, trusted: BlockList): string | undefined {
  let found: string | undefined
  for (const hop of (forwardedFor?.split(',') ?? []).slice(-mostHops).toReversed()) {
    const address = readAddress(hop)
    if (address === undefined) return found
    found = address
    if (!isAmong(address, trusted)) return found
  }
  return found
}

const isAmong = (address: string, ranges: BlockList): boolean => ranges.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')

/**
 * Gives the key under which a limit counts an address. For an IPv4 address the key is the address. For an IPv6 address it is the /64 network, because
 * one client usually has all addresses of such a network.
 */
export function addressBucket(address: string): string {
  if (isIPv4(address) || isIP(address) === 0) return address
  return `${firstFourGroups(address)}::/64`
}

/** Reads an address into its canonical form: without port, brackets or zone, IPv4-mapped IPv6 as IPv4. Undefined when the text is no address. */
function readAddress(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? ''
  if (trimmed === '' || trimmed.length > 64) return undefined
  const bare = /^\[(.+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed
  const withoutZone = bare.split('%', 1)[0] ?? ''
  const version = isIP(withoutZone)
  if (version === 0) return undefined
  if (version === 4) return withoutZone
  const canonical = new SocketAddress({ address: withoutZone, family: 'ipv6' }).address
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(canonical)?.[1] ?? canonical
}

function firstFourGroups(address: string): string {
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':')
}
