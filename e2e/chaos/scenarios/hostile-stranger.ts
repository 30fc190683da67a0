import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { newId } from '@herald/contracts/ids'
import { givenTenant } from '@herald/testing/tenant'
import { givenManyDevices } from '../crowd.ts'
import type { Hostility } from '../hostilities.ts'
import { onPlatform, type Platform } from '../platform.ts'
import { runningProcesses } from '../processes.ts'
import type { Scenario, Scene } from '../scenario.ts'
import { checkSends, untilAllSettled } from '../sends.ts'
import { ask, watching } from '../watching.ts'
import { figuresOf, playHostility, sendEverySecond } from './hostile-tenant.ts'

const secondsWarm = 15
const secondsAlone = 30
const secondsBeside = 90
const honestDevices = 20
const heldSockets = 800
const mostGrowth = 60 * 1024 * 1024
const kib = 1024
/** The limits by address have their defaults here. Other tests switch them off. */
const limits = { SUBSCRIBE_RATE_LIMIT: '10', IDENTITY_RATE_LIMIT: '60', DEVICE_RATE_LIMIT: '600', EVENT_RATE_LIMIT: '600' }

export const hostileStranger: Scenario = {
  promise:
    'Strangers who have no key but the public one of an app hold back 800 bodies, flood the sign-in with unknown keys and the routes of devices with 512 KiB bodies, and invent addresses before a proxy that appends to x-forwarded-for: an honest app’s sends keep a p99 of at most twice their p99 alone, or 1 s, and none is lost; the p99 of /health is at most 100 ms; the gateway grows by at most 60 MB; no limit by address is got around.',
  needsSixProcesses: true,
  run: (scene) =>
    onPlatform({ ...limits, TRUSTED_PROXIES: '127.0.0.1', LOG_LEVEL: 'warn' }, (platform) => besideStrangers(scene, platform)),
}

async function besideStrangers(scene: Scene, platform: Platform): Promise<void> {
  const { note, check } = scene
  const { herald, tenant } = platform
  const devices = await givenManyDevices(platform, honestDevices)
  const pid = runningProcesses(herald.dataDir).get('gateway-1') ?? 0
  const other = await givenTenant(herald)
  const proxy = await openAppendingProxy(herald.baseUrl)

  // Any load lets V8 give a process 48 MB for new objects (--max-semi-space-size=16), so the gateway's memory at rest is read after an honest load.
  const warm = await watching(herald.baseUrl, pid, () => playFor(secondsWarm, honestCrowd(herald.baseUrl, tenant.publicKey)))
  const alone = await watching(herald.baseUrl, pid, () => sendEverySecond(tenant, devices, 'alone', secondsAlone))
  const stop = new AbortController()
  const hostilities = openHostilities(herald.baseUrl, { attacked: tenant.publicKey, other: other.publicKey, proxyUrl: proxy.baseUrl })
  const windowsBegun = Math.ceil(secondsBeside / 60) + 2
  const underWay = [
    holdBodiesBack(herald.baseUrl, tenant.publicKey, stop.signal),
    ...hostilities.map((one) => playHostility(one, stop.signal)),
  ]
  const beside = await watching(herald.baseUrl, pid, () => sendEverySecond(tenant, devices, 'beside', secondsBeside)).finally(() =>
    stop.abort(),
  )
  const counts = Object.fromEntries((await Promise.all(underWay)).flatMap((counted) => Object.entries(counted)))
  proxy.server.close()
  proxy.server.closeAllConnections()

  const campaigns = [...alone.result, ...beside.result].map(({ campaign }) => campaign)
  await untilAllSettled(tenant, campaigns)
  const figures = { alone: figuresOf(alone.result), beside: figuresOf(beside.result) }
  const allowed = Math.max(1, 2 * figures.alone.p99)
  const rest = Math.max(warm.memory, alone.memory)
  const grown = beside.memory - rest
  note({
    ...figures,
    allowedP99: allowed,
    healthMs: { alone: alone.health, beside: beside.health },
    gatewayMb: { rest: mb(rest), beside: mb(beside.memory), grown: mb(grown) },
    answersToStrangers: counts,
  })
  check(figures.beside.p99 <= allowed, `p99 beside the strangers is ${figures.beside.p99} s, ${allowed} s allowed`)
  check(beside.health.p99 <= 100, `the p99 of /health beside the strangers is ${beside.health.p99} ms, 100 ms allowed`)
  check(grown <= mostGrowth, `the gateway grew by ${mb(grown)} MB`)
  for (const [name, most] of [
    ['registrations from invented addresses 200', 10],
    ['sign-ins from invented addresses 401', 10],
  ] as const)
    check((counts[name] ?? 0) <= most * windowsBegun, `${counts[name]} ${name}, at most ${most} a minute allowed`)
  await checkSends(scene, tenant, campaigns, 0)
}

/** 600 devices that say again and again that their app came to the foreground. */
function honestCrowd(baseUrl: string, publicKey: string): Hostility {
  let no = 0
  const act = () => {
    no += 1
    const headers = { 'x-app-key': publicKey, 'x-forwarded-for': `198.51.${100 + (no % 3)}.${no % 200}` }
    return ask(`${baseUrl}/v1/subscriptions/${newId()}/session`, 'POST', headers, '{"appVersion":"1.2.3"}')
  }
  return { name: 'honest crowd', workers: 32, everyMs: 40, act }
}

async function playFor(seconds: number, hostility: Hostility): Promise<Record<string, number>> {
  return playHostility(hostility, AbortSignal.timeout(seconds * 1_000))
}

const mb = (bytes: number): number => Math.round(bytes / 1024 / 102.4) / 10

const keysOf = (bytes: number): Buffer => {
  const object: Record<string, number> = {}
  for (let size = 0, no = 0; size < bytes - 20; no += 1) {
    object[`k${no}`] = 1
    size += String(no).length + 6
  }
  return Buffer.from(JSON.stringify(object))
}

/** The floods. Each request comes from a new address, unless its name says otherwise: a stranger has a few and botnets have many. */
function openHostilities(
  baseUrl: string,
  { attacked, other, proxyUrl }: { attacked: string; other: string; proxyUrl: string },
): Hostility[] {
  let no = 0
  const address = () => {
    no += 1
    return `198.18.${(no >> 8) & 255}.${no & 255}`
  }
  const large = keysOf(512 * kib)
  const small = { session: keysOf(4 * kib), device: keysOf(32 * kib) }
  const session = `${baseUrl}/v1/admin/session`
  const device = () => `${baseUrl}/v1/subscriptions/${newId()}`
  const from = (where: string, key = attacked) => ({ 'x-forwarded-for': where, 'x-app-key': key })
  const floods: [name: string, act: () => Promise<number>][] = [
    ['sign-ins of 512 KiB', () => ask(session, 'POST', from(address()), large)],
    ['sign-ins of 4 KiB', () => ask(session, 'POST', from(address()), small.session)],
    ['changes of 512 KiB', () => ask(device(), 'PATCH', from(address()), large)],
    ['changes of 32 KiB', () => ask(device(), 'PATCH', from(address()), small.device)],
    ['sessions of 512 KiB from one address', () => ask(`${device()}/session`, 'POST', from('198.51.100.7'), large)],
    ['removals of 512 KiB from one address', () => ask(device(), 'DELETE', from('198.51.100.8'), large)],
  ]
  const invented = (path: string, body: unknown) => ask(`${proxyUrl}${path}`, 'POST', from(address(), other), JSON.stringify(body))
  return [
    ...floods.map(([name, act]) => ({ name, workers: 4, everyMs: 200, act })),
    {
      name: 'registrations from invented addresses',
      workers: 1,
      everyMs: 100,
      act: () => invented('/v1/subscriptions', { platform: 'android', token: `invented-${newId()}` }),
    },
    {
      name: 'sign-ins from invented addresses',
      workers: 1,
      everyMs: 100,
      act: () => invented('/v1/admin/session', { token: 'x'.repeat(40) }),
    },
  ]
}

/**
 * Keeps 800 connections open whose bodies lack the last byte, half of them sign-ins and half of them changes of devices, from 80 addresses. Gives the
 * statuses that they were answered with.
 */
async function holdBodiesBack(baseUrl: string, publicKey: string, signal: AbortSignal): Promise<Record<string, number>> {
  const { port } = new URL(baseUrl)
  const counts: Record<string, number> = {}
  const sockets = new Set<Socket>()
  const open = (no: number) => {
    if (signal.aborted) return
    const [line, size] = no % 2 === 0 ? ['POST /v1/admin/session', 4 * kib] : [`PATCH /v1/subscriptions/${newId()}`, 32 * kib]
    const head = `${line} HTTP/1.1\r\nhost: x\r\nx-app-key: ${publicKey}\r\nx-forwarded-for: 203.0.113.${no % 80}\r\ncontent-type: application/json\r\n`
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(`${head}content-length: ${size}\r\n\r\n${' '.repeat(size - 1)}`))
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', (data) => {
      const key = `held back ${data.toString('latin1', 9, 12)}`
      counts[key] = (counts[key] ?? 0) + 1
    })
    socket.on('close', () => {
      sockets.delete(socket)
      setTimeout(() => open(no), 1_000)
    })
  }
  for (let no = 0; no < heldSockets; no += 1) open(no)
  await once(signal, 'abort')
  for (const socket of sockets) socket.destroy()
  return counts
}

/** A proxy that appends the address of its client to x-forwarded-for, as most do, instead of overwriting the header. */
async function openAppendingProxy(target: string): Promise<{ server: Server; baseUrl: string }> {
  const client = '203.0.113.200'
  const server = createServer((asked, answer) => {
    const given = asked.headers['x-forwarded-for']
    const headers = { ...asked.headers, 'x-forwarded-for': given === undefined ? client : `${String(given)}, ${client}` }
    const passed = request(`${target}${asked.url}`, { method: asked.method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    asked.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return { server, baseUrl: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` }
}
