import { createServer, type TLSSocket } from 'node:tls'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { givenCrowd } from '../crowd.ts'
import { onPlatform, type Platform } from '../platform.ts'
import { runningProcesses } from '../processes.ts'
import { withReceiver, type Receiver } from '../receiver.ts'
import type { Scenario, Scene } from '../scenario.ts'
import { checkSends, send, untilAllSettled } from '../sends.ts'

const seconds = 30
const slowestAllowedMs = 4_000

const switched = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'
/** What the strange servers send instead of an answer, by the path that asks for it. */
const strange: Record<string, (socket: TLSSocket) => void> = {
  switches: (socket) => socket.write(switched),
  'switches-and-breaks': (socket) => socket.write(switched, () => socket.destroy()),
  'switches-to-nothing': (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  garbage: (socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n\0\0\0'),
  http2: (socket) => socket.write('\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64'),
  'half-a-head': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le'),
  'endless-headers': (socket) => repeat(socket, 'HTTP/1.1 200 OK\r\n', 'x-much: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n'),
  'endless-interim': (socket) => repeat(socket, '', 'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'),
  'status-099': (socket) => socket.write('HTTP/1.1 099 Low\r\ncontent-length: 0\r\n\r\n'),
  closes: (socket) => socket.destroy(),
}
const names = Object.keys(strange)

/** Writes a text again and again for as long as the other end reads. */
function repeat(socket: TLSSocket, first: string, text: string): void {
  const go = () => {
    while (!socket.destroyed && socket.write(text.repeat(100)));
  }
  socket.on('drain', go)
  socket.write(first)
  go()
}

/** Starts servers that answer a request as its path says. One offers HTTP/2 and sends the same bytes there, which are no HTTP/2. */
async function startStrange({ tls }: Receiver): Promise<{ urls: string[]; stop: () => void }> {
  const sockets = new Set<TLSSocket>()
  const servers = ['http/1.1', 'h2'].map((protocol) =>
    createServer({ ...tls, ALPNProtocols: [protocol] }, (socket) => {
      sockets.add(socket)
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
      socket.once('data', (data: Buffer) => {
        const path = /^POST (?:\/push)?\/([\w-]+)/.exec(data.toString('latin1'))?.[1] ?? 'garbage'
        strange[path]?.(socket)
      })
    }),
  )
  await Promise.all(servers.map((server) => new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))))
  return {
    urls: servers.map((server) => `https://127.0.0.1:${(server.address() as AddressInfo).port}`),
    stop() {
      for (const socket of sockets) socket.destroy()
      for (const server of servers) server.close()
    },
  }
}

export const strangeReceivers: Scenario = {
  promise:
    'Webhook receivers and push services of one app that switch protocols, send bytes that are no HTTP, half heads, endless headers and endless interim answers: no process ends, each attempt counts, and the events of another app arrive within 4 s.',
  async run(scene) {
    await withReceiver(async (receiver) => {
      const servers = await startStrange(receiver)
      const env = { ...receiver.env, LOG_LEVEL: 'warn', WEBHOOK_RETRY_BASE_SECONDS: '0.2', PROVIDER_RETRY_SECONDS: '0.2,0.2,0.2,0.2' }
      try {
        await onPlatform(env, (platform) => besideStrange(scene, platform, receiver, servers.urls))
      } finally {
        servers.stop()
      }
    })
  },
}

type Delivery = { state: string; attempts: { status: number | null; error: string | null }[] }

async function besideStrange(scene: Scene, platform: Platform, receiver: Receiver, [http1 = '', http2 = '']: string[]): Promise<void> {
  const { check, note } = scene
  const { tenant: honest, herald } = platform
  await receiver.attach(honest)
  const devices = await givenCrowd(platform, 9)
  const hostile = await givenTenant(herald)
  const phones = await givenCrowd({ ...platform, tenant: hostile }, 9)
  const webhooks = await Promise.all(names.map((name) => attach(hostile, `${http1}/${name}`)))
  const browsers = await hostile.makeDevices('web', names.length + 1)
  for (const [place, browser] of browsers.entries()) {
    const endpoint = place < names.length ? `${http1}/push/${names[place]}/${place}` : `${http2}/push/${place}`
    await hostile.register({ ...browser, endpoint })
  }
  const before = runningProcesses(herald.dataDir)

  const campaigns = []
  const strangeCampaigns = []
  receiver.slowestMs = 0
  for (let second = 0; second < seconds; second += 1) {
    const next = performance.now() + 1_000
    strangeCampaigns.push(await send(hostile, `strange-${second}`, phones, { target: { all: true }, ttl: 20 }))
    campaigns.push(await send(honest, `honest-${second}`, devices))
    await sleep(Math.max(0, next - performance.now()))
  }
  await untilAllSettled(honest, campaigns)
  await until(() => receiver.events.get('notification.sent')?.size === seconds * devices.length, {
    withinMs: 60_000,
    what: 'the events of the honest app arrive',
  })
  note({ slowestEventMs: receiver.slowestMs })
  check(receiver.slowestMs <= slowestAllowedMs, `an event of the honest app took ${receiver.slowestMs} ms`)
  await checkSends(scene, honest, campaigns, 0)

  await untilAllSettled(hostile, strangeCampaigns)
  for (const { id, status, stats } of strangeCampaigns) {
    check(status === 'sent', `the campaign ${id} of the strange app is ${status}`)
    check(stats.sent === phones.length, `${stats.sent} pushes of the strange app are sent, ${phones.length} have a device that answers`)
  }
  const attempts: Record<string, number> = {}
  for (const [place, id] of webhooks.entries()) {
    const failed = await until(
      async () => {
        const { body } = await hostile.admin<{ items: Delivery[] }>('GET', `/webhooks/${id}/deliveries?limit=50`)
        const ended = body.items.filter(({ state }) => state !== 'pending')
        return ended.length > 0 && ended
      },
      { withinMs: 120_000, what: `a delivery to ${names[place]} ends` },
    )
    for (const delivery of failed) {
      check(delivery.state === 'failed' && delivery.attempts.length === 5, `${names[place]}: ${JSON.stringify(delivery)}`)
      for (const { status, error } of delivery.attempts) {
        const word = `${names[place]} ${error ?? status}`
        attempts[word] = (attempts[word] ?? 0) + 1
        check(error === 'network_error', `${names[place]}: an attempt ended as ${word}`)
      }
    }
  }
  note({ attempts })
  const after = runningProcesses(herald.dataDir)
  for (const [name, pid] of before) check(after.get(name) === pid, `${name} was started again`)
}

async function attach(tenant: Tenant, url: string): Promise<string> {
  const { status, body } = await tenant.admin<{ id: string }>('POST', '/webhooks', { url })
  if (status !== 201) throw new Error(`the webhook was answered ${status}: ${JSON.stringify(body)}`)
  return body.id
}
