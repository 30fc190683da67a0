import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { natsAuthorization, natsUsers, type NatsUser } from '@herald/contracts/grants'
import { makeServerCertificate } from '@herald/embedded/certificate'
import { freePort } from '@herald/embedded/free-port'
import { startNatsServer } from '@herald/embedded/nats-server'
import { atEnd } from '@herald/testing/at-end'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { openBus, type BusConfig } from './bus.ts'
import { openLog } from './log.ts'
import { setUpQueue } from './set-up-queue.ts'

const directory = mkdtempSync(join(tmpdir(), 'herald-cluster-conf-'))
atEnd(() => rmSync(directory, { recursive: true, force: true }))
const [ours, foreign] = [makeServerCertificate(new Date(), 1), makeServerCertificate(new Date(), 1)]
const [clients, routes] = await Promise.all([0, 1].map(() => Promise.all([freePort(), freePort(), freePort()])))
const password = 'the-password-of-every-user'
const path = (name: string) => join(directory, name)
writeFileSync(path('ca.pem'), ours.ca)
writeFileSync(path('foreign.pem'), foreign.ca)

/** Starts a server with `deploy/nats/cluster.conf`: only its ports and directories are those of this test. */
async function startServer(index: number, certificate = ours) {
  const name = `nats-${index + 1}`
  const folder = path(name)
  const [first, second, third] = (routes ?? []).map((port) => `nats-route://localhost:${port}`)
  const variables: Record<string, string> = {
    SERVER: name,
    ADDRESS: 'localhost',
    FIRST: `${first}`,
    SECOND: `${second}`,
    THIRD: `${third}`,
  }
  const configuration = readFileSync(join(import.meta.dirname, '../../../deploy/nats/cluster.conf'), 'utf8')
    .replace(/^port: 4222$/m, '')
    .replace(/^http: .*$/m, '')
    .replace('client_advertise: $ADDRESS', `client_advertise: "localhost:${clients?.[index]}"`)
    .replace('cluster_advertise: $ADDRESS', `cluster_advertise: "localhost:${routes?.[index]}"`)
    .replace('port: 6222', `listen: "127.0.0.1:${routes?.[index]}"`)
    .replace('"/data"', JSON.stringify(folder))
    .replaceAll(/\$([A-Z]+)/g, (_, variable: string) => JSON.stringify(variables[variable]))
    .replaceAll(/"((server|ca|server-key)\.pem)"/g, (_, file: string) => JSON.stringify(path(`${name}-${file}`)))
    .replace(
      'include users.conf',
      natsAuthorization(Object.fromEntries(natsUsers.map((user) => [user, password])) as Record<NatsUser, string>),
    )
  writeFileSync(path(`${name}-ca.pem`), certificate.ca)
  writeFileSync(path(`${name}-server.pem`), certificate.certificate)
  writeFileSync(path(`${name}-server-key.pem`), certificate.privateKey, { mode: 0o600 })
  const server = await startNatsServer({ name, storeDir: folder, port: clients?.[index] ?? 0, configuration })
  atEnd(() => server.stop())
  return server
}
await Promise.all([0, 1, 2].map((index) => startServer(index)))
const tls: BusConfig = {
  NATS_URL: (clients ?? []).map((port) => `tls://localhost:${port}`).join(','),
  NATS_CA: path('ca.pem'),
  NATS_PASSWORD: password,
}

// spec: cluster/configuration
test('three servers with deploy/nats/cluster.conf store three copies, and a service with the authority of their certificates connects and publishes', async () => {
  const copies = await until(() => setUpQueue(tls, { replicas: 3 }))
  expect(copies).toEqual({ WORK: 3, EVENTS: 3, CANARY: 3 })

  const bus = await openBus(testService('campaigns', tls))
  await until(() => bus.publish('work.fan-out', { campaignId: 'a'.repeat(24), page: 0 }, 'first').then(() => true))
})

function openRefused(config: BusConfig) {
  const lines: string[] = []
  const service = testService('campaigns', config)
  void openBus({ ...service, log: openLog('campaigns', 'info', { write: (line) => void lines.push(line) }) }).catch(() => undefined)
  return lines
}

// spec: cluster/tls
test('a service connects to no server of another authority’s certificate, nor without TLS by tls://', async () => {
  const foreignCa = openRefused({ ...tls, NATS_CA: path('foreign.pem') })
  const folder = path('plain')
  const plain = await startNatsServer({ storeDir: folder })
  atEnd(() => plain.stop())
  const withoutTls = openRefused({ ...tls, NATS_URL: `tls://localhost:${plain.port}` })

  await until(() => foreignCa.some((line) => line.includes('does not let this process in')))
  await until(() => withoutTls.some((line) => line.includes('does not let this process in')))
  expect(foreignCa.join('')).toMatch(/certificate|self.signed/i)
  expect(withoutTls.join('')).toMatch(/does not support 'tls'/)
  expect([...foreignCa, ...withoutTls].join('')).not.toContain(password)
})
