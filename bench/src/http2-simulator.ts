import { fork, type ChildProcess } from 'node:child_process'
import { createPrivateKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { givenCertificate } from '@herald/http2/testing/certificate'

export async function startSimulator() {
  const certificate = givenCertificate()
  const child: ChildProcess = fork(join(resolve(import.meta.dirname, '../..'), 'apps/simulator/src/main.ts'), [], {
    env: { ...process.env, SIMULATOR_CERTIFICATE: certificate.certificatePath, SIMULATOR_PRIVATE_KEY: certificate.privateKeyPath },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ready = await new Promise<Addresses>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Addresses))
    child.once('exit', (code) => reject(new Error(`the simulator ended with ${code}`)))
  })
  const control = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(ready.control + path, {
      method,
      // The connection is closed after each call, because more time may pass between two calls than the server keeps a connection open.
      headers: { connection: 'close', 'content-type': 'application/json' },
      signal: AbortSignal.timeout(60_000),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }
  return {
    addresses: ready,
    control,
    certificate,
    pid: child.pid ?? 0,
    accepted: async (): Promise<number> => (await control<{ accepted: { total: number } }>('GET', '/summary?open=false')).accepted.total,
    /**
     * Makes the simulator forget the accepted pushes. Of later pushes it only counts, because recording every push would be the larger part of its
     * work.
     */
    reset: async (): Promise<void> => {
      await control('POST', '/reset')
      await control('PUT', '/faults', { record: 'counts' })
    },
    stop(): void {
      child.disconnect()
      certificate.remove()
    },
  }
}

type Addresses = { apns: string; fcm: string; control: string }

/**
 * Starts a simulator with an APNs account and devices. Gives its address, the tokens of the devices and the headers of a push that it accepts, and
 * functions to control it.
 */
export async function startApnsSimulator(deviceCount: number) {
  const simulator = await startSimulator()
  const { control, certificate } = simulator
  const account = { kind: 'apns', teamId: 'TEAM000001', keyId: 'KEY0000001', bundleId: 'org.example.app' }
  const { privateKey } = await control<{ privateKey: string }>('POST', '/accounts', account)
  const { devices } = await control<{ devices: { token: string }[] }>('POST', '/devices', {
    platform: 'ios',
    count: deviceCount,
    environment: 'production',
    bundleId: account.bundleId,
  })
  await control('PUT', '/faults', { record: 'counts' })
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${encode({ alg: 'ES256', kid: account.keyId })}.${encode({ iss: account.teamId, iat: Math.floor(Date.now() / 1000) })}`
  const signature = sign('sha256', Buffer.from(text), { key: createPrivateKey(privateKey), dsaEncoding: 'ieee-p1363' })
  return {
    url: simulator.addresses.apns,
    caPath: certificate.certificatePath,
    ca: readFileSync(certificate.certificatePath),
    tokens: devices.map(({ token }) => token),
    headers: {
      authorization: `bearer ${text}.${signature.toString('base64url')}`,
      'apns-topic': account.bundleId,
      'apns-push-type': 'alert',
      'apns-priority': '10',
      'apns-expiration': '1900000000',
    },
    pid: simulator.pid,
    accepted: () => simulator.accepted(),
    reset: () => simulator.reset(),
    stop: () => simulator.stop(),
  }
}

export type ApnsSimulator = Awaited<ReturnType<typeof startApnsSimulator>>
