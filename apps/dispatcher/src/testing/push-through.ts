// Pushes through one transport as fast as it goes: the process that `npm run bench:transports` measures. It reads its task as JSON and writes its result as JSON.
// It trusts the simulator by NODE_EXTRA_CA_CERTS.
import { readFileSync } from 'node:fs'
import { mintApnsToken, readPrivateKey } from '@herald/auth/provider-token'
import { encodePush } from '@herald/contracts/payload'
import { openApns } from '../transports/apns-app.ts'
import { openFcm } from '../transports/fcm-app.ts'
import type { Push, Transport } from '../transports/transport.ts'

export type PushTask = {
  kind: 'own' | 'library'
  url: string
  account:
    | { platform: 'ios'; teamId: string; keyId: string; bundleId: string; privateKey: string }
    | { platform: 'android'; projectId: string; clientEmail: string; privateKey: string; tokenUri: string }
  /** Device tokens, used by turns. */
  addresses: string[]
  warmUp: number
  pushes: number
  /** Pushes on their way at once. */
  window: number
}
export type PushResult = { pushesPerSecond: number; cpuMicroseconds: number; rssMb: number }

const task = JSON.parse(readFileSync(0, 'utf8')) as PushTask
const { account, kind, addresses, window } = task
const url = new URL(task.url)
const isOwn = kind === 'own'

async function openTransport(): Promise<Transport> {
  if (account.platform === 'ios') {
    const { openApnsLine } = await (isOwn ? import('../transports/apns.ts') : import('../transports/library/apns.ts'))
    const { teamId, keyId, privateKey, bundleId: topic } = account
    const now = new Date()
    const minted = { token: mintApnsToken({ teamId, keyId, privateKey, now }), mintedAt: now.toISOString() }
    const askForToken = () => Promise.resolve(minted)
    return openApns({ topic, environment: 'production', addresses: { production: url }, askForToken, openLine: openApnsLine })
  }
  const { projectId, clientEmail, tokenUri } = account
  const line = await openFcmLineTo(projectId)
  const privateKey = readPrivateKey(account.privateKey)
  return openFcm({ clientEmail, privateKey, tokenUri, tokenUrl: undefined, onSkew: () => undefined, line })
}

async function openFcmLineTo(projectId: string) {
  if (isOwn) return (await import('../transports/fcm.ts')).openFcmLine(url, projectId)
  const { redirectFirebase } = await import('../transports/library/firebase.ts')
  redirectFirebase(url)
  return (await import('../transports/library/fcm.ts')).openFcmLine(projectId)
}

/** Made beforehand: what is measured is the sending alone. */
const pushes: Push[] = Array.from({ length: 1_000 }, (_, n) => {
  const msgId = `${String(n).padStart(60, 'm')}.${'s'.repeat(22)}`
  const address = addresses[n % addresses.length] ?? ''
  const send = { silent: false, data: { order: '17' }, ttl: 3_600, collapseId: null, priority: 'high', presentation: null } as const
  const entry = { title: 'Hello', body: 'This is a push notification of a usual size for the test' }
  const encoded = encodePush(account.platform, { msgId, entry, send }, address, send.ttl)
  if (!encoded.ok) throw new Error('a push of the benchmark is too long')
  const expiresAtSeconds = Math.ceil(Date.now() / 1000) + send.ttl
  const about = { collapseId: null, silent: false, priority: 'high', ttlSeconds: send.ttl, expiresAtSeconds } as const
  return { msgId, address, keys: null, environment: null, body: encoded.body, ...about }
})

const transport = await openTransport()
async function run(count: number): Promise<void> {
  let next = 0
  const sendInTurn = async () => {
    while (next < count) {
      const push = pushes[next++ % pushes.length] as Push
      const answer = await transport.send(push)
      if (answer.is !== 'answered' || answer.status !== 200) throw new Error(`void: a push was answered ${JSON.stringify(answer)}`)
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
