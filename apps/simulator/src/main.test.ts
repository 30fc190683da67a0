import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { childEnvironment } from '@herald/testing/child-environment'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { givenCertificate } from '@herald/http2/testing/certificate'

const main = new URL('main.ts', import.meta.url).pathname
let certificate: ReturnType<typeof givenCertificate>

beforeAll(() => {
  certificate = givenCertificate()
})
afterAll(() => certificate.remove())

const start = (environment: Record<string, string>) =>
  spawn(process.execPath, [main], { env: { ...childEnvironment, ...environment }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
const paths = () => ({ SIMULATOR_CERTIFICATE: certificate.certificatePath, SIMULATOR_PRIVATE_KEY: certificate.privateKeyPath })

test('the simulator tells stdout and its parent where providers and control API listen; SIGTERM exits with 0', async () => {
  const child = start(paths())
  const [[line], [message]] = (await Promise.all([once(child.stdout as Readable, 'data'), once(child, 'message')])) as [
    [Buffer],
    [Record<string, string>],
  ]
  expect(JSON.parse(line.toString())).toEqual(message)
  const address = expect.stringMatching(/^https:\/\/localhost:\d+$/)
  expect(message).toEqual({
    ready: true,
    apns: address,
    apnsSandbox: address,
    fcm: address,
    fcmToken: expect.stringMatching(/^https:\/\/localhost:\d+\/token$/),
    webPush: address,
    control: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
  })
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

// spec: running/simulator-control
test('a simulator that other machines reach does not start without a token for its control API', async () => {
  const child = start({ ...paths(), SIMULATOR_HOST: 'simulator' })
  const said: Buffer[] = []
  child.stderr?.on('data', (part: Buffer) => said.push(part))
  expect(await once(child, 'close')).toEqual([1, null])
  expect(Buffer.concat(said).toString()).toMatch(/^SIMULATOR_CONTROL_TOKEN: is required/)
})

// spec: running/simulator-control
test('a simulator in a container reads the token of its control API from the file of its name', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'herald-simulator-'))
  const token = 'a-token-that-was-mounted-0123456789'
  writeFileSync(join(directory, 'SIMULATOR_CONTROL_TOKEN'), token)
  const child = start({ ...paths(), SECRETS_DIR: directory })
  const [{ control }] = (await once(child, 'message')) as [{ control: string }]
  const ask = async (headers: Record<string, string>) => (await fetch(`${control}/faults`, { headers })).status
  expect([await ask({}), await ask({ authorization: `Bearer ${token}` })]).toEqual([401, 200])
  child.kill('SIGTERM')
  await once(child, 'exit')
  rmSync(directory, { recursive: true })
})

test('the simulator exits with 0 when it loses its parent process', async () => {
  const child = start(paths())
  await once(child, 'message')
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('when environment variables are wrong or missing, the simulator names each of them and exits with 1', async () => {
  const child = start({ SIMULATOR_APNS_PORT: 'many' })
  const said: Buffer[] = []
  child.stderr?.on('data', (part: Buffer) => said.push(part))
  expect(await once(child, 'close')).toEqual([1, null])
  const lines = Buffer.concat(said).toString().trim().split('\n')
  expect(lines.map((line) => line.split(':')[0])).toEqual(['SIMULATOR_APNS_PORT', 'SIMULATOR_CERTIFICATE', 'SIMULATOR_PRIVATE_KEY'])
})
