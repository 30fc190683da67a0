// Sends pushes through one transport as fast as it can: the process that `npm run bench:transports` measures. It reads its task as JSON and writes
// its result as JSON. NODE_EXTRA_CA_CERTS makes it trust the simulator.
import { readFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { mintApnsToken, readPrivateKey, readVapidKey } from '@herald/auth/provider-token'
import { encodePush } from '@herald/contracts/payload'
import { guardBy, resolveByHostsFile } from '@herald/service/guarded-connect'
import { openApns } from '../providers/apns/transport.ts'
import { openFcm } from '../providers/fcm/transport.ts'
import { answerOf, tell, type Push, type Transport } from '../providers/provider.ts'

export type PushTask = {
  /**
   * `plain` is the web-push library, used as its README says. `library` is what TRANSPORT=library uses; for Web Push that makes requests of its own
   * and signs once per push service.
   */
  kind: 'own' | 'library' | 'plain'
  url: string
  account:
    | { platform: 'ios'; teamId: string; keyId: string; bundleId: string; privateKey: string }
    | { platform: 'android'; projectId: string; clientEmail: string; privateKey: string; tokenUri: string }
    | { platform: 'web'; publicKey: string; privateKey: string }
  /** Device tokens or endpoints, used one after the other and then again from the beginning. */
  addresses: string[]
  /** The encryption keys of the endpoints; for web only. */
  keys?: { p256dh: string; auth: string }[]
  warmUp: number
  pushes: number
  /** How many pushes are on their way at once. */
  window: number
}
export type PushResult = { pushesPerSecond: number; cpuMicroseconds: number; rssMb: number }

const task = JSON.parse(readFileSync(0, 'utf8')) as PushTask
const { account, kind, addresses, keys, window } = task
const url = new URL(task.url)
const isOwn = kind === 'own'

async function openTransport(): Promise<Transport> {
  if (account.platform === 'ios') {
    const { openApnsLine } = await (isOwn ? import('../providers/apns/transport.ts') : import('../providers/apns/library.ts'))
    const { teamId, keyId, privateKey, bundleId: topic } = account
    const now = new Date()
    const minted = { token: mintApnsToken({ teamId, keyId, privateKey, now }), mintedAt: now.toISOString() }
    const askForToken = () => Promise.resolve(minted)
    return openApns({ topic, environment: 'production', addresses: { production: url }, askForToken, openLine: openApnsLine })
  }
  if (account.platform === 'web') return kind === 'plain' ? openPlainWebPush(account) : openWebPushFor(account)
  const { projectId, clientEmail, tokenUri } = account
  const line = await openFcmLineTo(projectId)
  const privateKey = readPrivateKey(account.privateKey)
  return openFcm({ clientEmail, privateKey, tokenUri, tokenUrl: undefined, onSkew: () => undefined, line })
}

const subject = 'mailto:ops@example.com'
type VapidPair = { publicKey: string; privateKey: string }

async function openWebPushFor({ publicKey, privateKey }: VapidPair): Promise<Transport> {
  const { openWebPush } = await (isOwn ? import('../providers/web-push/transport.ts') : import('../providers/web-push/library.ts'))
  const rule = { allowPrivate: true, hosts: [] }
  const guard = guardBy(
    resolveByHostsFile(() => Promise.reject(new Error('unknown'))),
    rule,
  )
  const webPush = openWebPush(guard, rule)
  const transport = webPush.forApp({ appId: 'app', subject, publicKey, privateKey: readVapidKey(publicKey, privateKey) })
  return { send: (push, hear) => transport.send(push, hear), close: () => webPush.close() }
}

const accepting = { is: 'answered', reason: '', retryAfterMs: null, deadSince: null, environment: null } as const

async function openPlainWebPush(vapidDetails: VapidPair): Promise<Transport> {
  const { default: webPush } = await import('web-push')
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  return {
    send({ address: endpoint, keys: of, body, priority: urgency, ttlSeconds: TTL }, hear) {
      if (!of) throw new Error('no keys')
      const options = { agent, urgency, TTL, vapidDetails: { subject, ...vapidDetails } }
      const sent = webPush.sendNotification({ endpoint, keys: of }, body, options)
      tell(
        sent.then(({ statusCode: status }) => ({ ...accepting, status })),
        hear,
      )
    },
    close: () => Promise.resolve(agent.destroy()),
  }
}

async function openFcmLineTo(projectId: string) {
  if (isOwn) return (await import('../providers/fcm/transport.ts')).openFcmLine(url, projectId)
  const { redirectFirebase } = await import('../providers/fcm/firebase.ts')
  redirectFirebase(url)
  return (await import('../providers/fcm/library.ts')).openFcmLine(projectId)
}

/** The pushes are made before the measurement, so that it covers the sending alone. */
const pushes: Push[] = Array.from({ length: 1_000 }, (_, n) => {
  const msgId = `${String(n).padStart(60, 'm')}.${'s'.repeat(22)}`
  const address = addresses[n % addresses.length] ?? ''
  const campaignId = 'c'.repeat(24)
  const send = {
    campaignId,
    silent: false,
    data: { order: '17' },
    ttl: 3_600,
    collapseId: null,
    priority: 'high',
    presentation: null,
  } as const
  const entry = { title: 'Hello', body: 'This is a push notification of a usual size for the test' }
  const encoded = encodePush(account.platform, { msgId, entry, send }, address, send.ttl)
  if (!encoded.ok) throw new Error('a push of the benchmark is too long')
  const expiresAtSeconds = Math.ceil(Date.now() / 1000) + send.ttl
  const about = { collapseId: null, silent: false, priority: 'high', ttlSeconds: send.ttl, expiresAtSeconds } as const
  return { msgId, address, keys: keys?.[n % addresses.length] ?? null, environment: null, body: encoded.body, ...about }
})

const accepted = account.platform === 'web' ? 201 : 200
const transport = await openTransport()
async function run(count: number): Promise<void> {
  let next = 0
  const sendInTurn = async () => {
    while (next < count) {
      const push = pushes[next++ % pushes.length] as Push
      const answer = await answerOf((hear) => transport.send(push, hear))
      if (answer.is !== 'answered' || answer.status !== accepted) throw new Error(`void: a push was answered ${JSON.stringify(answer)}`)
    }
  }
  await Promise.all(Array.from({ length: window }, sendInTurn))
}

await run(task.warmUp)
const [cpuBefore, startedAt] = [process.cpuUsage(), performance.now()]
await run(task.pushes)
const seconds = (performance.now() - startedAt) / 1000
const { user, system } = process.cpuUsage(cpuBefore)
const result: PushResult = {
  pushesPerSecond: Math.round(task.pushes / seconds),
  cpuMicroseconds: (user + system) / task.pushes,
  rssMb: Math.round(process.memoryUsage().rss / 1e6),
}
process.stdout.write(`${JSON.stringify(result)}\n`)
await transport.close()
process.exit(0)
