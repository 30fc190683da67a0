import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { mintMessageId } from '@herald/auth/message-id'
import { newId } from '@herald/contracts/ids'
import { childEnvironment } from '@herald/testing/child-environment'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { serverArgs } from '@herald/testing/programs'
import { until } from '@herald/testing/until'
import { afterAll, expect, test } from 'vitest'
import { ask } from './testing/ask.ts'
import { adminToken, hmacSecret, sealKeys } from './testing/start-gateway.ts'
import { startPeers } from './testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
await startPeers(nats)

/** Starts a gateway as an operator does: a process of its own with an environment. */
function startProcess(settings: Record<string, string>) {
  const child = spawn(process.execPath, serverArgs('gateway'), {
    env: { ...childEnvironment, ...settings },
  })
  let output = ''
  child.stdout.on('data', (data: Buffer) => (output += data.toString()))
  child.stderr.on('data', (data: Buffer) => (output += data.toString()))
  const ended = new Promise<number | null>((done) => child.once('close', (code) => done(code)))
  afterAll(() => void child.kill('SIGKILL'))
  return { child, ended, output: () => output }
}
const environment = {
  PORT: '0',
  DATABASE_URL_GATEWAY: url('gateway'),
  NATS_URL: nats,
  ADMIN_TOKEN: adminToken,
  HMAC_SECRET: hmacSecret,
  SEAL_KEYS: sealKeys,
}

// spec: sending/secrets
test('the log has a line per request with route, app and status, nothing secret; SIGTERM exits with 0', async () => {
  const { child, ended, output } = startProcess(environment)
  const port = await until(() => Number(/"port":(\d+),"msg":"listening"/.exec(output())?.[1] ?? 0))
  const admin = { authorization: `Bearer ${adminToken}` }
  const appId = String(
    (await ask(port, { method: 'POST', path: '/v1/admin/apps', headers: admin, body: { name: 'Canary shop' } })).body['id'],
  )
  const key = String(
    (await ask(port, { method: 'POST', path: `/v1/admin/apps/${appId}/keys`, headers: admin, body: { kind: 'secret', name: 'k' } })).body[
      'key'
    ],
  )
  const msgId = mintMessageId(hmacSecret, {
    appId,
    campaignId: newId(),
    userId: newId(),
    subscriptionId: newId(),
    platform: 'ios',
    variant: '',
  })
  const headers = { authorization: `Bearer ${key}`, 'x-request-id': 'request-17' }
  await ask(port, {
    method: 'POST',
    path: '/v1/subscriptions',
    headers,
    body: { platform: 'ios', token: 'canary-token', externalId: 'canary-user' },
  })
  await ask(port, { method: 'POST', path: `/v1/e/o/${msgId}` })
  await ask(port, { method: 'POST', path: '/v1/notifications?canary-query=1', headers, raw: 'canary-body' })
  await ask(port, { path: '/canary-path' })

  child.kill('SIGTERM')
  expect(await ended).toBe(0)

  const lines = output()
    .split('\n')
    .filter((line) => line.includes('"msg":"request"'))
    .map((line): unknown => JSON.parse(line))
  expect(lines).toHaveLength(6)
  expect(lines[2]).toMatchObject({ requestId: 'request-17', method: 'POST', route: '/v1/subscriptions', appId, status: 200 })
  expect(lines[3]).toMatchObject({ route: '/v1/e/:kind/:msgId', status: 204 })
  expect(lines[5]).toMatchObject({ route: 'unknown', status: 404 })
  for (const secret of [key, key.slice(-20), adminToken, msgId, hmacSecret, 'canary', 'Canary']) expect(output()).not.toContain(secret)
})

test('when its port is taken the gateway ends with exit code 1 and a line that names the port', async () => {
  const other = createServer()
  const port = await new Promise<number>((done) =>
    other.listen(0, '127.0.0.1', () => {
      const address = other.address()
      done(typeof address === 'object' && address ? address.port : 0)
    }),
  )
  const { ended, output } = startProcess({ ...environment, PORT: String(port) })

  expect(await ended).toBe(1)
  expect(output()).toContain(`Port ${port} of 127.0.0.1 is taken`)
  other.close()
})

test('with LISTEN_FDS but no socket, the gateway ends with exit code 1 and a line that says so', async () => {
  const { ended, output } = startProcess({ ...environment, LISTEN_FDS: '1' })

  expect(await ended).toBe(1)
  expect(output()).toContain('descriptor 3 is no TCP socket')
})

// spec: running/environment
test('with a wrong environment the gateway ends with exit code 1 and names every wrong variable, without its value', async () => {
  const { ended, output } = startProcess({
    ...environment,
    HMAC_SECRET: 'short',
    PORT: 'eighty',
    TRUSTED_PROXIES: 'my-proxy',
    SEAL_KEYS: `${sealKeys},k2:c2hvcnQga2V5`,
  })

  expect(await ended).toBe(1)
  for (const name of ['HMAC_SECRET', 'PORT', 'TRUSTED_PROXIES', 'SEAL_KEYS']) expect(output()).toContain(`${name}: `)
  expect(output()).toContain('entry 2 of SEAL_KEYS')
  expect(output()).not.toMatch(/short|eighty|my-proxy|c2hvcnQga2V5/)
})
