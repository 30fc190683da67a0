import { setTimeout as sleep } from 'node:timers/promises'
export type DemoOptions = {
  baseUrl: string
  adminToken: string
  /** The simulator's control API. */
  simulator: { url: string; token: string }
  dataDir: string
  print: (line: string) => void
  /** Aborted when the starter stops. */
  signal: AbortSignal
}

/** The HTTP calls of the demo: to Herald's public and administration API, and to the simulator's control API. */
export type HeraldClient = {
  api<Body>(secretKey: string, method: string, path: string, body?: unknown): Promise<Body>
  admin<Body>(method: string, path: string, body?: unknown): Promise<Body>
  simulator<Body>(method: string, path: string, body?: unknown): Promise<Body>
  makeDevices(options: Record<string, unknown>): Promise<string[]>
  /** Whether the app of an earlier start still exists in Herald, and its device in the simulator. */
  stillThere(appId: string, deviceId: string): Promise<boolean>
  /** Waits until the simulated devices have sent all their reports, at most 10 s. */
  reportsAreIn(signal: AbortSignal): Promise<void>
}

const callLimitMs = 30_000
const reportsWaitMs = 10_000

export function callHerald({ baseUrl, adminToken, simulator: control }: DemoOptions): HeraldClient {
  const http = async <Body>(method: string, url: string, headers: Record<string, string>, body: unknown): Promise<Body> => {
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(callLimitMs),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${new URL(url).pathname} answered ${response.status}: ${text.slice(0, 500)}`)
    return (text === '' ? undefined : JSON.parse(text)) as Body
  }
  const admin = <Body>(method: string, path: string, body?: unknown) =>
    http<Body>(method, `${baseUrl}/v1/admin${path}`, { authorization: `Bearer ${adminToken}` }, body)
  const simulator = <Body>(method: string, path: string, body?: unknown) =>
    http<Body>(method, `${control.url}${path}`, { authorization: `Bearer ${control.token}` }, body)

  return {
    admin,
    simulator,
    api: (secretKey, method, path, body) => http(method, `${baseUrl}${path}`, { authorization: `Bearer ${secretKey}` }, body),
    async makeDevices(options) {
      const { devices } = await simulator<{ devices: { id: string }[] }>('POST', '/devices', options)
      return devices.map(({ id }) => id)
    },
    async stillThere(appId, deviceId) {
      const found = await Promise.allSettled([admin('GET', `/apps/${appId}`), simulator('GET', `/pushes?deviceId=${deviceId}&limit=1`)])
      return found.every(({ status }) => status === 'fulfilled')
    },
    async reportsAreIn(signal) {
      const startedAt = performance.now()
      while (!signal.aborted && performance.now() - startedAt < reportsWaitMs) {
        const { pending } = await simulator<{ pending: number }>('GET', '/crowd')
        if (pending === 0) return
        await sleep(50)
      }
    },
  }
}
