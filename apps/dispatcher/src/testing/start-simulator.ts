import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { makeServerCertificate } from '@herald/embedded/certificate'
import { childEnvironment } from '@herald/testing/child-environment'
import { afterAll } from 'vitest'

/** A device of the simulator. A phone has a token; a browser has an endpoint and keys. */
export type Device = { id: string; token?: string; endpoint?: string; keys?: { p256dh: string; auth: string } }

/** A push that the simulator accepted. */
export type Arrived = {
  platform: string
  deviceId: string
  environment?: string
  id: string
  headers: Record<string, string>
  payload: Record<string, unknown>
  msgId: string
}

export type Simulator = {
  addresses: Record<'apns' | 'apnsSandbox' | 'fcm' | 'fcmToken' | 'webPush' | 'control', string>
  /** The path of the certificate authority's certificate, for NODE_EXTRA_CA_CERTS. */
  ca: string
  /** Calls the simulator's control API. Throws an error for every answer that is not a success. */
  control<Answer>(method: string, path: string, body?: unknown): Promise<Answer>
  devices(wanted: object): Promise<Device[]>
  arrivedAt(devices: Device[]): Promise<Arrived[]>
  /** Gives the pushes that the provider keeps for a device that is `offline`. */
  keptFor(device: Device): Promise<Arrived[]>
}

const main = resolve(import.meta.dirname, '../../../simulator/src/main.ts')

/** Starts the simulator in a process of its own, with a certificate of its own. It stops at the end of the test file. */
export async function startSimulator(): Promise<Simulator> {
  const directory = mkdtempSync(join(tmpdir(), 'herald-dispatcher-'))
  const { ca, certificate, privateKey } = makeServerCertificate(new Date(), 2, [
    '*.provider.test',
    '*.notify.windows.com',
    '*.push.apple.com',
  ])
  const files = { ca: join(directory, 'ca.pem'), certificate: join(directory, 'certificate.pem'), privateKey: join(directory, 'key.pem') }
  writeFileSync(files.ca, ca)
  writeFileSync(files.certificate, certificate)
  writeFileSync(files.privateKey, privateKey)

  const env = { ...childEnvironment, SIMULATOR_CERTIFICATE: files.certificate, SIMULATOR_PRIVATE_KEY: files.privateKey }
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  afterAll(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
    rmSync(directory, { recursive: true, force: true })
  })
  const [addresses] = (await once(child, 'message')) as [Simulator['addresses']]

  const control = async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    const response = await fetch(addresses.control + path, init)
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as Answer
  }
  return {
    addresses,
    ca: files.ca,
    control,
    devices: async (wanted) => (await control<{ devices: Device[] }>('POST', '/devices', wanted)).devices,
    keptFor: async ({ id }) => (await control<{ pushes: Arrived[] }>('GET', `/devices/${id}/kept`)).pushes,
    async arrivedAt(devices) {
      const ids = new Set(devices.map(({ id }) => id))
      const { pushes } = await control<{ pushes: Arrived[] }>('GET', '/pushes?limit=10000')
      return pushes.filter(({ deviceId }) => ids.has(deviceId))
    },
  }
}
