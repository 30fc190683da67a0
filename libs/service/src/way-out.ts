import { request as requestHttp } from 'node:http'
import { Agent, request as requestHttps, type AgentOptions } from 'node:https'
import { BlockList, isIP, type Socket } from 'node:net'
import { callbackify } from 'node:util'
import { isPublicAddress } from '@herald/contracts/destination'
import { isLocalName } from '@herald/contracts/destination-form'
import { blocked, type Resolve } from './guarded-connect.ts'
import { waitAtMost } from './wait-at-most.ts'

/** Where a connection is to lead. `host` is a name or an IP address. */
export type Target = { host: string; port: number }

/** How this process reaches hosts outside: directly, or through the proxy of the operator's network. */
export type WayOut = {
  isProxied: (to: Target) => boolean
  /**
   * Connects to a host through the proxy (CONNECT, RFC 9110 9.3.6); undefined when the host is reached directly. The caller speaks TLS with the host
   * itself. Rejects with an error whose code is a short word.
   */
  tunnel: (to: Target, signal: AbortSignal) => Promise<Socket> | undefined
}

/** The way out without a proxy. */
export const directly: WayOut = { isProxied: () => false, tunnel: () => undefined }

/** How long the name of a host is looked up before the proxy is asked to connect to it. A look-up that takes longer gives no connection. */
const lookUpMs = 3_000
/** Behind a proxy name servers often do not know outside names. With these codes a look-up says so. */
const noSuchName: readonly unknown[] = ['ENOTFOUND', 'ENODATA', 'EAI_NODATA']
/** With these codes it says that no name server can be asked, or that it cannot ask others, if it says so within `atOnceMs`. Later it was slow. */
const noNameServer: readonly unknown[] = ['ECONNREFUSED', 'EAI_AGAIN', 'ESERVFAIL', 'EREFUSED']
const atOnceMs = 1_000

/**
 * Makes the way out by HTTPS_PROXY and NO_PROXY. With `guard` no tunnel leads to an address off the public internet, given or resolved here. A name
 * that has no address by the name servers here is left to the proxy.
 */
export function openWayOut(
  { HTTPS_PROXY, NO_PROXY }: { HTTPS_PROXY?: string | undefined; NO_PROXY: string },
  guard?: { resolve: Resolve; allowPrivate: boolean },
): WayOut {
  const proxy = HTTPS_PROXY === undefined ? undefined : new URL(HTTPS_PROXY)
  const isDirect = directHosts(NO_PROXY)
  const isProxied = ({ host, port }: Target) => proxy !== undefined && !isDirect(host, port)
  return {
    isProxied,
    tunnel(to, signal) {
      if (proxy === undefined || !isProxied(to)) return undefined
      return (guard ? refusePrivate(to.host, guard) : Promise.resolve()).then(() => connectThrough(proxy, to, signal))
    },
  }
}

/** Makes an agent of node:https whose connections take the way out. A connection through the proxy has at most `connectMs` to get there. */
export function agentOn(wayOut: WayOut, { connectMs, ...options }: AgentOptions & { connectMs: number }): Agent {
  const agent = new Agent(options)
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (to, done = () => undefined) => {
    const tunnel = wayOut.tunnel({ host: to.host ?? '', port: Number(to.port) }, AbortSignal.timeout(connectMs))
    if (tunnel === undefined) return connect(to, done)
    callbackify(() => tunnel)((error, socket) => {
      const secured = error ? undefined : connect(Object.assign(to, { socket }))
      if (secured) done(null, secured)
      // The type of the second parameter demands a socket, but Node ignores it when there is an error.
      else Reflect.apply(done, undefined, [error])
    })
    return undefined
  }
  return agent
}

async function refusePrivate(host: string, { resolve, allowPrivate }: { resolve: Resolve; allowPrivate: boolean }): Promise<void> {
  if (allowPrivate) return
  const addresses = isIP(host) === 0 ? await lookUp(host, resolve) : [{ address: host }]
  if (addresses.some(({ address }) => !isPublicAddress(address))) throw blocked()
}

/** Gives the addresses of a name; none when the name is unknown here. Throws when the name servers are slow, because they may know an address. */
async function lookUp(host: string, resolve: Resolve): Promise<{ address: string }[]> {
  const throwSlow = (): never => {
    throw Object.assign(new Error('the name servers are slow'), { code: 'EAI_AGAIN' })
  }
  const startedAt = performance.now()
  try {
    return await waitAtMost(lookUpMs, resolve(host), throwSlow)
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
    if (noSuchName.includes(code)) return []
    if (noNameServer.includes(code) && performance.now() - startedAt < atOnceMs) return []
    return throwSlow()
  }
}

/** Opens a tunnel. What goes wrong before it is open has the prefix PROXY_, since it says something about the proxy. */
function connectThrough(proxy: URL, { host, port }: Target, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const failed = (what: unknown) => reject(Object.assign(new Error('the proxy gives no connection'), { code: `PROXY_${String(what)}` }))
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const isSecure = proxy.protocol === 'https:'
  const proxyHost = bare(proxy.hostname)
  const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
  const asked = (isSecure ? requestHttps : requestHttp)({
    method: 'CONNECT',
    host: proxyHost,
    port: proxy.port || (isSecure ? 443 : 80),
    path: target,
    agent: false,
    signal,
    // Otherwise Node would take the name for the proxy's certificate from the field `host`.
    ...(isSecure && { servername: isIP(proxyHost) === 0 ? proxyHost : '' }),
    headers: {
      host: target,
      connection: 'keep-alive',
      ...(user !== ':' && { 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` }),
    },
  })
  asked.once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
    // Node has taken its listeners away, and an error without a listener would end the process.
    socket.on('error', () => undefined)
    if (statusCode >= 200 && statusCode < 300) {
      if (head.length > 0) socket.unshift(head)
      return resolve(socket.setNoDelay(true))
    }
    socket.destroy()
    return failed(statusCode)
  })
  asked.on('error', (error) => failed(Reflect.get(error, 'code') ?? 'failed'))
  asked.on('close', () => failed('closed'))
  asked.end()
  return promise
}

/** Removes the brackets of an IPv6 address and the final dot of a name. */
const bare = (host: string): string =>
  host
    .toLowerCase()
    .replaceAll(/^\[|\]$/g, '')
    .replace(/\.$/, '')

/**
 * Reads NO_PROXY as curl does (its manual: --noproxy): names, which include those below them, IP addresses, ranges (10.0.0.0/8) and `*`. An entry
 * with a port holds for that port alone. This machine is always reached directly.
 */
function directHosts(list: string): (host: string, port: number) => boolean {
  const local = new BlockList()
  local.addSubnet('127.0.0.0', 8, 'ipv4')
  local.addAddress('::1', 'ipv6')
  /** The ranges by the port for which they hold; those without a port hold for all. */
  const ranges = new Map<number | undefined, BlockList>()
  const names: { name: string; port: number | undefined }[] = []
  for (const entry of list.toLowerCase().split(/[\s,]+/)) {
    const { text, port } = withoutPort(entry)
    const [, network = '', prefix] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/.exec(text.replaceAll(/[[\]]/g, '')) ?? []
    const version = isIP(network)
    const bits = version === 4 ? 32 : 128
    if (version === 0) {
      names.push({ name: bare(text).replace(/^\*?\.+/, ''), port })
      continue
    }
    if (Number(prefix ?? bits) > bits) continue
    const range = ranges.get(port) ?? new BlockList()
    range.addSubnet(network, Number(prefix ?? bits), version === 4 ? 'ipv4' : 'ipv6')
    ranges.set(port, range)
  }
  return (host, port) => {
    const name = bare(host)
    const version = isIP(name)
    const isIn = (range: BlockList | undefined) => version !== 0 && range?.check(name, version === 4 ? 'ipv4' : 'ipv6') === true
    if (isLocalName(name) || isIn(local) || isIn(ranges.get(undefined)) || isIn(ranges.get(port))) return true
    const isBelow = (above: string) => version === 0 && above !== '' && name.endsWith(`.${above}`)
    return names.some((each) => (each.port ?? port) === port && (each.name === '*' || each.name === name || isBelow(each.name)))
  }
}

/** Takes the port off an entry. An IPv6 address has one only after its bracket or its prefix, because its own parts are numbers after colons too. */
function withoutPort(entry: string): { text: string; port: number | undefined } {
  const [, text = entry, port] = (isIP(entry) === 6 ? undefined : /^(.*?):(\d{1,5})$/.exec(entry)) ?? []
  return { text, port: port === undefined ? undefined : Number(port) }
}
