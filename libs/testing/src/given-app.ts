import { http, type Answer, type Herald } from './herald.ts'

type Json = Record<string, unknown>
export type GivenApp = {
  appId: string
  secretKey: string
  publicKey: string
  /** Makes a request with the secret key, as an app's backend does. */
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer<Json>>
  /** Makes a request with the public key, as mobile apps and web pages do. */
  callOpen: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer<Json>>
  /** Makes a request with the administration token, below the path of this app. */
  admin: (method: string, path: string, body?: unknown) => Promise<Answer<Json>>
  /** Registers a phone whose token the simulator does not know. */
  register: (more?: Json) => Promise<{ id: string; userId: string }>
}

let phones = 0

/** Makes an app with a key of each kind and no provider credentials, for tests that need no push. This is much cheaper than a tenant (tenant.ts). */
export async function givenApp(herald: Herald): Promise<GivenApp> {
  const admin = (method: string, path: string, body?: unknown) =>
    http<Json>(method, `${herald.baseUrl}/v1/admin/apps${path}`, { headers: { authorization: `Bearer ${herald.adminToken}` }, body })
  const appId = String((await admin('POST', '', { name: 'Given app' })).body['id'])
  const keyOf = async (kind: string) => String((await admin('POST', `/${appId}/keys`, { kind, name: kind })).body['key'])
  const [secretKey, publicKey] = [await keyOf('secret'), await keyOf('public')]

  const callWith =
    (key: Record<string, string>): GivenApp['call'] =>
    (method, path, body, headers = {}) =>
      http<Json>(method, `${herald.baseUrl}${path}`, { headers: { ...key, ...headers }, body })
  const callOpen = callWith({ 'x-app-key': publicKey })
  return {
    appId,
    secretKey,
    publicKey,
    call: callWith({ authorization: `Bearer ${secretKey}` }),
    callOpen,
    admin: (method, path, body) => admin(method, `/${appId}${path}`, body),
    async register(more = {}) {
      const token = `token-${(phones += 1)}-${'0'.repeat(40)}`
      const { status, body } = await callOpen('POST', '/v1/subscriptions', { platform: 'ios', token, ...more })
      if (status !== 200) throw new Error(`registration was answered ${status}: ${JSON.stringify(body)}`)
      return { id: String(body['id']), userId: String(body['userId']) }
    },
  }
}
