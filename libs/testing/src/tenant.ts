import { http, toSimulator, type Answer, type Herald } from './herald.ts'

export type Device = {
  id: string
  platform: 'ios' | 'android' | 'web'
  token?: string
  endpoint?: string
  keys?: { p256dh: string; auth: string }
}

/** An app for one test: its keys, its providers at the simulator, and short functions to call Herald and the simulator. */
export type Tenant = {
  appId: string
  secretKey: string
  publicKey: string
  vapidPublicKey: string
  projectId: string
  bundleId: string
  call<Body = unknown>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<Body>>
  admin<Body = unknown>(method: string, path: string, body?: unknown): Promise<Answer<Body>>
  simulator<Body = unknown>(method: string, path: string, body?: unknown): Promise<Body>
  /** Makes devices at the simulator that are not registered with Herald yet. */
  makeDevices(platform: Device['platform'], count: number, options?: Record<string, unknown>): Promise<Device[]>
  register(device: Device, more?: Record<string, unknown>): Promise<{ id: string; platform: string; userId: string }>
}

const ok = <Body>(answer: Answer<Body>, status: number): Body => {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Makes an app with both keys and all three providers: new accounts for APNs and FCM at the simulator, and VAPID keys of Herald's. */
export async function givenTenant(herald: Herald): Promise<Tenant> {
  const admin = <Body>(method: string, path: string, body?: unknown) =>
    http<Body>(method, `${herald.baseUrl}/v1/admin${path}`, { headers: { authorization: `Bearer ${herald.adminToken}` }, body })
  const simulator = async <Body>(method: string, path: string, body?: unknown) => {
    const answer = await http<Body>(method, `${herald.simulator}${path}`, { headers: toSimulator, body })
    if (answer.status >= 300) throw new Error(`simulator: ${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  const { id: appId } = ok(await admin<{ id: string }>('POST', '/apps', { name: 'End to end' }), 201)
  const secretKey = ok(await admin<{ key: string }>('POST', `/apps/${appId}/keys`, { kind: 'secret', name: 'backend' }), 201).key
  const publicKey = ok(await admin<{ key: string }>('POST', `/apps/${appId}/keys`, { kind: 'public', name: 'sdk' }), 201).key

  const teamId = appId.slice(-10).toUpperCase()
  const keyId = appId.slice(-10).toUpperCase().split('').toReversed().join('')
  const projectId = `project-${appId}`
  // Each tenant has its own bundle id, because at the simulator, as at Apple, a bundle id belongs to one team.
  const bundleId = `org.example.a${appId}`
  const apns = await simulator<{ privateKey: string }>('POST', '/accounts', { kind: 'apns', teamId, keyId, bundleId })
  const serviceAccount = await simulator<Record<string, unknown>>('POST', '/accounts', { kind: 'fcm', projectId })
  ok(
    await admin('PUT', `/apps/${appId}/providers/apns`, {
      teamId,
      keyId,
      privateKey: apns.privateKey,
      bundleId,
      environment: 'production',
    }),
    200,
  )
  ok(await admin('PUT', `/apps/${appId}/providers/fcm`, { serviceAccount }), 200)
  const webPush = ok(
    await admin<{ publicKey: string }>('PUT', `/apps/${appId}/providers/webpush`, { subject: 'mailto:e2e@example.org' }),
    200,
  )

  const tenant: Tenant = {
    appId,
    secretKey,
    publicKey,
    vapidPublicKey: webPush.publicKey,
    projectId,
    bundleId,
    call: (method, path, body, headers = {}) =>
      http(method, `${herald.baseUrl}${path}`, { headers: { authorization: `Bearer ${secretKey}`, ...headers }, body }),
    admin: (method, path, body) => admin(method, `/apps/${appId}${path}`, body),
    simulator,
    async makeDevices(platform, count, options = {}) {
      const kind = {
        ios: { bundleId, environment: 'production' },
        android: { projectId },
        web: { applicationServerKey: webPush.publicKey },
      }[platform]
      return (await simulator<{ devices: Device[] }>('POST', '/devices', { platform, count, ...kind, ...options })).devices
    },
    async register(device, more = {}) {
      const { platform, token, endpoint, keys } = device
      const body = platform === 'web' ? { platform, endpoint, keys, ...more } : { platform, token, ...more }
      return ok(
        await http<{ id: string; platform: string; userId: string }>('POST', `${herald.baseUrl}/v1/subscriptions`, {
          headers: { 'x-app-key': publicKey },
          body,
        }),
        200,
      )
    },
  }
  return tenant
}
