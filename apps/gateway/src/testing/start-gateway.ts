import { openLog } from '@herald/service/log'
import { testNatsPassword } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { Config } from '../config.ts'
import { wireGateway } from '../wire.ts'
import { ask, type Question, type Told } from './ask.ts'

export const adminToken = 'administration-token-of-these-tests'
export const hmacSecret = 'hmac-secret-of-these-tests'
export const sealKeys = `test:${Buffer.alloc(32, 7).toString('base64')}`

export type GatewayUnderTest = {
  port: number
  stop: () => Promise<void>
  metrics: () => Promise<string>
  lines: () => Record<string, unknown>[]
  ask: (question: Question) => Promise<Told>
  /** Sends a request to the administration, below `/v1/admin`, with its token. */
  admin: (method: string, path: string, body?: unknown) => Promise<Told>
  /** Makes an app with a key of each kind, over HTTP. */
  givenApp: () => Promise<GivenApp>
}
export type GivenApp = { appId: string; secretKey: string; publicKey: string; secretKeyId: string; publicKeyId: string }

/** Starts a gateway on a free port. Rate limits are off unless a test sets them. */
export async function startGateway(
  addresses: { database: string; nats: string },
  settings: Record<string, string> = {},
): Promise<GatewayUnderTest> {
  const config = Config.parse({
    PORT: '0',
    DATABASE_URL_GATEWAY: addresses.database,
    NATS_URL: addresses.nats,
    NATS_PASSWORD: testNatsPassword,
    ADMIN_TOKEN: adminToken,
    HMAC_SECRET: hmacSecret,
    SEAL_KEYS: sealKeys,
    SUBSCRIBE_RATE_LIMIT: '0',
    IDENTITY_RATE_LIMIT: '0',
    SEND_RATE_LIMIT: '0',
    EVENT_RATE_LIMIT: '0',
    ...settings,
  })
  const written: string[] = []
  const log = openLog('gateway', 'info', { write: (line) => void written.push(line) })
  const service = { ...testService('gateway', config), log }
  const { port } = await wireGateway(service)

  const admin = (method: string, path: string, body?: unknown) =>
    ask(port, { method, path: `/v1/admin${path}`, headers: { authorization: `Bearer ${adminToken}` }, body })
  return {
    port,
    stop: service.stop,
    metrics: () => service.metrics.text(),
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
    ask: (question) => ask(port, question),
    admin,
    async givenApp() {
      const appId = String((await admin('POST', '/apps', { name: 'Shop' })).body['id'])
      const secret = (await admin('POST', `/apps/${appId}/keys`, { kind: 'secret', name: 'backend' })).body
      const open = (await admin('POST', `/apps/${appId}/keys`, { kind: 'public', name: 'sdk' })).body
      return {
        appId,
        secretKey: String(secret['key']),
        publicKey: String(open['key']),
        secretKeyId: String(secret['id']),
        publicKeyId: String(open['id']),
      }
    },
  }
}
