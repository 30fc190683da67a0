import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { makeVapidPair, mintApnsToken } from '@herald/auth/provider-token'
import { readOptions, say } from './options.ts'
import { keep } from './results.ts'
import { findH2load, runH2load } from './h2load.ts'
import { startSimulator } from './http2-simulator.ts'
import { median } from './report.ts'

const help = `npm run bench:transports [-- --pushes 50000 --rounds 5 --window 500 --only web --keep]

Pushes per second and CPU per push of the dispatcher's own transports beside the libraries (node-apn, firebase-admin, web-push), each in a process of its own
against the simulator in another; for APNs also h2load, where it is installed (Debian's nghttp2-client). "web plain" is web-push's sendNotification with an agent that keeps connections; "web library" encrypts by it alone. Web Push sends a fifth of
the pushes, because each is encrypted. Rounds by turns, in changing order; medians. After each turn the simulator must have accepted exactly what was sent.
--keep writes the result to bench/results.`

const values = readOptions(help, { pushes: 50_000, rounds: 5, window: 500, only: '', keep: false })

type Turn = { pushesPerSecond: number; cpuMicroseconds: number; rssMb: number | null }
type Value = 'pushesPerSecond' | 'cpuMicroseconds'

const root = resolve(import.meta.dirname, '../..')
const { pushes, window } = values
const warmUp = 5_000
const services = (['apns', 'fcm', 'web'] as const).filter((service) => values.only === '' || service === values.only)
const kinds = { apns: ['own', 'library'], fcm: ['own', 'library'], web: ['own', 'library', 'plain'] } as const
const pushesOf = (service: string): number => (service === 'web' ? Math.ceil(pushes / 5) : pushes)
const h2load = findH2load()
if (!h2load) say('h2load is not installed: it is left out')
const simulator = await startSimulator()
const { control, addresses } = simulator

const devicesOf = async (wanted: object): Promise<string[]> =>
  (await control<{ devices: { token: string }[] }>('POST', '/devices', { count: 1_000, ...wanted })).devices.map(({ token }) => token)

/** Makes an account at each provider for the process that sends (apps/dispatcher/src/testing/push-through.ts). */
async function makeAccounts() {
  const team = { teamId: 'TEAM000001', keyId: 'KEY0000001', bundleId: 'org.example.app' }
  const projectId = 'example-project'
  const apnsKey = await control<{ privateKey: string }>('POST', '/accounts', { kind: 'apns', ...team })
  type ServiceAccount = { client_email: string; private_key: string; token_uri: string }
  const fcm = await control<ServiceAccount>('POST', '/accounts', { kind: 'fcm', projectId })
  const vapid = makeVapidPair()
  type Browser = { endpoint: string; keys: { p256dh: string; auth: string } }
  const { devices: browsers } = await control<{ devices: Browser[] }>('POST', '/devices', {
    platform: 'web',
    count: 1_000,
    keyPool: 1_000,
    applicationServerKey: vapid.publicKey,
  })
  const { client_email: clientEmail, private_key: privateKey, token_uri: tokenUri } = fcm
  return {
    apns: {
      url: addresses.apns,
      account: { platform: 'ios', ...team, privateKey: apnsKey.privateKey },
      addresses: await devicesOf({ platform: 'ios', environment: 'production', bundleId: team.bundleId }),
    },
    fcm: {
      url: addresses.fcm,
      account: { platform: 'android', projectId, clientEmail, privateKey, tokenUri },
      addresses: await devicesOf({ platform: 'android', projectId }),
    },
    web: {
      url: new URL(browsers[0]?.endpoint ?? '').origin,
      account: { platform: 'web', ...vapid },
      addresses: browsers.map(({ endpoint }) => endpoint),
      keys: browsers.map(({ keys }) => keys),
    },
  }
}

type Accounts = Awaited<ReturnType<typeof makeAccounts>>

function takeTurn(task: object): Turn {
  const file = join(root, 'apps/dispatcher/src/testing/push-through.ts')
  const { stdout, stderr, status } = spawnSync(process.execPath, [file], {
    encoding: 'utf8',
    input: JSON.stringify({ ...task, warmUp, window }),
    timeout: 300_000,
    env: { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: simulator.certificate.certificatePath },
  })
  if (status !== 0) throw new Error(`a transport ended with ${status}: ${stderr}`)
  return JSON.parse(stdout) as Turn
}

/** Sends pushes of the same size as Herald's with h2load. */
function takeTurnOfH2load(path: string, { url, account, addresses: tokens }: Accounts['apns']): Turn {
  const { teamId, keyId, privateKey, bundleId } = account
  const now = new Date()
  const headers = {
    authorization: `bearer ${mintApnsToken({ teamId, keyId, privateKey, now })}`,
    'apns-topic': bundleId,
    'apns-push-type': 'alert',
    'apns-priority': '10',
    'apns-expiration': '1900000000',
  }
  const bodyFile = join(tmpdir(), `herald-bench-transports-${process.pid}.json`)
  const alert = { title: 'Hello', body: 'This is a push notification of a usual size for the test' }
  writeFileSync(bodyFile, JSON.stringify({ order: '17', aps: { alert }, herald: { msgId: 'm'.repeat(83) } }))
  const asked = { url, token: tokens[0] ?? '', headers, bodyFile, pushes: pushes + warmUp, window: String(window) }
  return { ...runH2load(path, asked), rssMb: null }
}

const turns: Record<string, Turn[]> = {}
try {
  const tasks = await makeAccounts()
  for (let round = 0; round < values.rounds; round++) {
    for (const service of services) {
      const senders = service === 'apns' && h2load ? [...kinds[service], 'h2load' as const] : kinds[service]
      for (const sender of round % 2 ? senders.toReversed() : senders) {
        const sent = pushesOf(service)
        await simulator.reset()
        const turn =
          sender === 'h2load' ? takeTurnOfH2load(h2load ?? '', tasks.apns) : takeTurn({ kind: sender, pushes: sent, ...tasks[service] })
        const accepted = await simulator.accepted()
        if (accepted !== sent + warmUp) throw new Error(`void: ${service} ${sender} sent ${sent + warmUp}, ${accepted} were accepted`)
        ;(turns[`${service} ${sender}`] ??= []).push(turn)
      }
    }
  }
} finally {
  simulator.stop()
}

const of = (name: string, value: Value) => median((turns[name] ?? []).map((turn) => turn[value]))
say(`${'transport'.padEnd(16)}${'pushes/s'.padStart(10)}${'CPU µs/push'.padStart(14)}${'RSS MB'.padStart(10)}`)
for (const [name, all] of Object.entries(turns)) {
  const rss = median(all.map(({ rssMb }) => rssMb ?? 0)) || '-'
  const [rate, cpu] = [of(name, 'pushesPerSecond'), of(name, 'cpuMicroseconds').toFixed(1)]
  say(`${name.padEnd(16)}${String(rate).padStart(10)}${cpu.padStart(14)}${String(rss).padStart(10)}`)
}
/** Gives the median ratio of two contenders. The ratio is computed within each round, because a busy machine slows down all contenders. */
const ratio = (own: string, other: string, value: Value): number =>
  median((turns[own] ?? []).map((turn, round) => turn[value] / (turns[other]?.[round]?.[value] ?? NaN)))
for (const name of Object.keys(turns)) {
  const own = `${name.split(' ')[0]} own`
  if (name === own) continue
  say(`${own} / ${name}: ${ratio(own, name, 'pushesPerSecond').toFixed(2)} pushes/s, ${ratio(own, name, 'cpuMicroseconds').toFixed(3)} CPU`)
}
if (values.keep) keep('transports', { what: 'pushes through one transport', pushes, warmUp, window, turns })
