import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import type { ClientRequest } from 'node:http'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { callbackify } from 'node:util'
import { isPublicAddress } from '@herald/contracts/destination'
import { LRUCache } from 'lru-cache'
import { waitAtMost } from './wait-at-most.ts'

/** The code of the error that ends a connection to an address that is not on the public internet. */
export const blockedAddress = 'EBLOCKED'

export type ResolvedAddress = { address: string; family: number }

/** Gives all addresses of a name, at least one. Throws when there is none. */
export type Resolve = (host: string) => Promise<ResolvedAddress[]>

/**
 * Resolves names by the name servers alone, without a thread of getaddrinfo, so that a name whose servers never answer holds up no other. Public
 * names need neither hosts file nor search domains. Gives up after about 4 s.
 */
export const resolveByServers =
  (resolver: Pick<Resolver, 'resolve4' | 'resolve6'> = new Resolver({ timeout: 1_500, tries: 2 })): Resolve =>
  async (host) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const found = [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ]
    if (found.length === 0) throw worseOf(four, six) ?? new Error('the name has no address')
    return found
  }

/** Gives why two look-ups failed. That one found no address of its family says less than that the other had no answer. */
function worseOf(...results: PromiseSettledResult<unknown>[]): unknown {
  const reasons = results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []))
  const saysNone = (reason: unknown) => reason instanceof Error && ['ENOTFOUND', 'ENODATA'].includes(String(Reflect.get(reason, 'code')))
  return reasons.find((reason) => !saysNone(reason)) ?? reasons[0]
}

const hostsFile = '/etc/hosts'
/** What was read from the hosts file is used for this long. The first look-up after this time reads the file again. */
const hostsFileKeptMs = 5_000
const loopback: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/**
 * Resolves names in development: `localhost` and those of the hosts file; every other is left to `others`. Uses no thread of getaddrinfo, because
 * here too anyone may register an endpoint with a name whose servers never answer.
 */
export function resolveByHostsFile(others: Resolve, file = hostsFile): Resolve {
  let known = new Map<string, ResolvedAddress[]>()
  let readAt = Number.NEGATIVE_INFINITY
  return async (host) => {
    if (performance.now() - readAt > hostsFileKeptMs) {
      known = readHosts(await readFile(file, 'utf8').catch(() => ''))
      readAt = performance.now()
    }
    const name = host.toLowerCase()
    return known.get(name) ?? (name === 'localhost' || name.endsWith('.localhost') ? [...loopback] : others(host))
  }
}

/** Gives the addresses of each name in a hosts file (`<address> <name> …`; `#` begins a comment). */
function readHosts(text: string): Map<string, ResolvedAddress[]> {
  const hosts = new Map<string, ResolvedAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    const family = isIP(address)
    if (family === 0) continue
    for (const name of names) hosts.set(name, [...(hosts.get(name) ?? []), { address, family }])
  }
  return hosts
}

/**
 * Shares one look-up among callers of a name, remembers addresses for `keptMs`, and fails after `limitMs`. Errors have getaddrinfo's codes:
 * ENOTFOUND, or EAI_AGAIN for a name whose servers do not answer, refuse, or answer too late.
 */
export function rememberingResolve(resolve: Resolve, { limitMs = 3_000, keptMs = 30_000, most = 10_000 } = {}): Resolve {
  const known = new LRUCache<string, ResolvedAddress[]>({ max: most, ttl: keptMs })
  const asking = new Map<string, Promise<ResolvedAddress[]>>()

  const ask = async (host: string): Promise<ResolvedAddress[]> => {
    try {
      const addresses = await waitAtMost(limitMs, resolve(host), (): never => {
        throw unresolved('EAI_AGAIN')
      })
      known.set(host, addresses)
      return addresses
    } catch (error) {
      const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
      throw unresolved(code === 'ENOTFOUND' || code === 'ENODATA' ? 'ENOTFOUND' : 'EAI_AGAIN')
    } finally {
      asking.delete(host)
    }
  }
  return (host) => {
    const found = known.get(host)
    if (found) return Promise.resolve(found)
    const asked = asking.get(host) ?? ask(host)
    asking.set(host, asked)
    return asked
  }
}

const unresolved = (code: 'ENOTFOUND' | 'EAI_AGAIN') => Object.assign(new Error('the name cannot be resolved'), { code })

export const blocked = (): Error => Object.assign(new Error('the name resolves to an address that is not public'), { code: blockedAddress })

/**
 * Resolves a name and refuses it with an address off the public internet (unless `allowPrivate`) or without the wanted family. The connection uses the
 * checked address, so rebinding gains nothing.
 */
export function guardedLookupBy(resolve: Resolve, { allowPrivate = false } = {}): LookupFunction {
  const find = callbackify(async (host: string, family: number) => {
    const addresses = await resolve(host)
    if (!allowPrivate && addresses.some(({ address }) => !isPublicAddress(address))) throw blocked()
    const wanted = addresses.filter((each) => family === 0 || each.family === family)
    const [first] = wanted
    if (!first) throw blocked()
    return { first, wanted }
  })
  return (host, { family = 0, all }, callback) => {
    find(host, Number(String(family).replace('IPv', '')), (error, found) => {
      if (error) callback(error, '')
      else if (all) callback(null, found.wanted)
      else callback(null, found.first.address, found.first.family)
    })
  }
}

/** The checks of a connection to a host that a caller of the API has named. */
export type Guard = {
  lookup: LookupFunction
  /** Checks the address that is really connected, before a byte is written. Gives the reason against it; undefined when it is allowed. */
  checkAddress: (address: string) => string | undefined
  /** The way through the operator's proxy, with checks of its own (`way-out.ts`). */
  tunnel?: ((to: { host: string; port: number }, signal: AbortSignal) => Promise<Socket> | undefined) | undefined
}

/** Makes two checks: of a name's addresses, and of the connected address. The second check also catches an endpoint whose host is an IP address. */
export const guardBy = (resolve: Resolve, { allowPrivate = false } = {}): Guard => ({
  lookup: guardedLookupBy(resolve, { allowPrivate }),
  checkAddress: (address) => (allowPrivate || isPublicAddress(address) ? undefined : blockedAddress),
})

/** Ends a request whose connection, new or used again, leads to an address that is not public, before a byte of the request is written. */
export function refuseUnlessPublic(request: ClientRequest): void {
  request.once('socket', (socket) => {
    const check = () => {
      if (!isPublicAddress(socket.remoteAddress ?? '')) request.destroy(blocked())
    }
    if (socket.connecting) socket.once('connect', check)
    else check()
  })
}
