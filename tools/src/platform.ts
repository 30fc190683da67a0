import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { maxConnections } from '@herald/embedded/postgres'
import { z } from 'zod'
import { appUnit } from './app-unit.ts'
import { appsWithDatabase, rolesAreGiven, ownersOf } from './apps.ts'
import { startOrder } from '@herald/contracts/call'
import { joinAuthorities, readCertificates } from './certificates.ts'
import type { Crew, Member } from './crew.ts'
import { checkConnections, connectionsNeeded, prepareDatabase, serversOf } from './database.ts'
import { environmentOf, type Computed, type SimulatorAddresses } from './environment.ts'
import { readProcesses } from './instances.ts'
import { beginLog } from './logs.ts'
import { checkNats } from './nats.ts'
import { holdGatewayPort, pickPort, pickPorts, pickSimulatorPorts, readPorts, simulatorPorts, writePorts, type Ports } from './ports.ts'
import { readSecrets } from './secrets.ts'
import { natsUnit, postgresUnit } from './servers.ts'
import { StartError } from './start-error.ts'

/** `simulator` is the simulator's control API. */
export type Platform = { baseUrl: string; adminToken: string; simulator: { url: string; token: string } | undefined }

export type PlatformOptions = {
  dataDir: string
  /** The environment with which `npm start` was called. */
  environment: NodeJS.ProcessEnv
  simulator: boolean
  crew: Crew
  /** Resolves when the programs of the services are built. */
  built: Promise<void>
  print: (line: string) => void
  /**
   * Aborted when the platform is to stop. The port of the gateways is then closed here, so clients are refused as soon as no gateway listens any
   * more.
   */
  signal: AbortSignal
}

/**
 * Starts Postgres and nats-server unless the operator gives their addresses, makes roles and tables, then starts the simulator and all services.
 * Resolves when all are ready. `crew` has all started processes, also when a later start fails.
 */
export async function startPlatform({ dataDir, environment, simulator, crew, built, print, signal }: PlatformOptions): Promise<Platform> {
  const { counts, processes } = readProcesses(environment)
  const host = environment['HOST'] || '127.0.0.1'
  const former = readPorts(dataDir)
  // One socket for all gateways (docs/decisions/0008): a client that connects while a gateway restarts waits in the socket's queue.
  const gateway = await holdGatewayPort(environment['PORT'], host)
  signal.addEventListener('abort', () => gateway.close())
  const ports: Ports = { gateway: gateway.port }
  const secrets = readSecrets(dataDir, environment)
  const poolSize = Number(environment['DATABASE_POOL_SIZE'] || 8)
  const given = ownersOf(environment['DATABASE_URL'] ?? '', environment)
  // A pooler opens fewer connections than the services open to it.
  const isPooled = environment['DATABASE_POOLER'] === 'pgbouncer'
  for (const [ownerUrl, of] of serversOf(given))
    if (ownerUrl !== '' && !isPooled) await checkConnections(ownerUrl, connectionsNeeded(counts, poolSize, of))

  let ownerUrl = environment['DATABASE_URL'] ?? ''
  let natsUrl = environment['NATS_URL'] ?? ''
  const embedded = appsWithDatabase.filter((app) => given[app] === '')
  if (embedded.length > 0) {
    const connections = connectionsNeeded(counts, poolSize, embedded)
    const log = beginLog(dataDir, 'postgres')
    ports.postgres = await pickPort(former.postgres)
    const unit = postgresUnit(
      { dataDir, port: ports.postgres, connections: Math.max(maxConnections, connections), log },
      (url) => (ownerUrl = url),
    )
    await crew.start([{ unit, kind: 'postgres', log }])
  }
  if (natsUrl === '') {
    const log = beginLog(dataDir, 'nats-server')
    ports.nats = await pickPort(former.nats)
    natsUrl = `nats://127.0.0.1:${ports.nats}`
    await crew.start([{ unit: natsUnit({ dataDir, port: ports.nats, passwords: secrets.natsPasswords, log }), kind: 'nats-server', log }])
  } else {
    await checkNats(natsUrl, print)
  }
  print(
    `Postgres: ${ports.postgres ? `embedded, port ${ports.postgres}` : 'DATABASE_URL'}; NATS: ${ports.nats ? `embedded, port ${ports.nats}` : 'NATS_URL'}`,
  )

  const databaseUrls = await prepareDatabase(ownersOf(ownerUrl, environment), rolesAreGiven(environment) ? undefined : secrets.passwords)
  const computed: Computed = { host, port: gateway.port, natsUrl, databaseUrls, secrets }

  await built
  const formerSimulator = former.simulator ?? former.formerSimulator
  if (!simulator && formerSimulator !== undefined) ports.formerSimulator = formerSimulator
  if (simulator) {
    ports.simulator = await pickSimulatorPorts(formerSimulator)
    computed.simulator = await startSimulator({ dataDir, environment, crew, computed, ports: ports.simulator })
    print(
      'Providers are simulated: APNs, FCM and Web Push are answered by this machine unless their addresses are given. No real device gets anything.',
    )
  }
  const observe = await pickPorts(
    processes.map(({ name }) => name),
    former.observe,
  )
  writePorts(dataDir, { ...ports, observe })

  // A process stops with the last of its services to stop.
  const groups = startOrder.map((group) => processes.filter(({ services }) => group.some((app) => app === services[0])))
  await Promise.all(
    groups.map((group) =>
      crew.start(
        group.map(({ services, name }): Member => {
          const log = beginLog(dataDir, name)
          const ofIt = { ...environmentOf(services, environment, computed), OBSERVE_PORT: String(observe[name]) }
          const unit = appUnit({ services, name, environment: ofIt, log, ...(services.includes('gateway') && { listenOn: gateway }) })
          return { unit, kind: 'app', log }
        }),
      ),
    ),
  )
  const baseUrl = `http://${reachable(host)}:${gateway.port}`
  await untilHealthy(baseUrl)
  const url = computed.simulator?.addresses.control
  return {
    baseUrl,
    adminToken: secrets.ADMIN_TOKEN,
    simulator: url === undefined ? undefined : { url, token: secrets.SIMULATOR_CONTROL_TOKEN },
  }
}

async function startSimulator({
  dataDir,
  environment,
  crew,
  computed,
  ports,
}: {
  dataDir: string
  environment: NodeJS.ProcessEnv
  crew: Crew
  computed: Computed
  ports: Record<string, number>
}): Promise<NonNullable<Computed['simulator']>> {
  const certificates = readCertificates(dataDir, new Date())
  const log = beginLog(dataDir, 'simulator-1')
  let addresses: SimulatorAddresses | undefined
  const unit = appUnit({
    name: 'simulator-1',
    log,
    environment: {
      ...environmentOf(['simulator'], environment, computed),
      ...Object.fromEntries(
        Object.entries(simulatorPorts).map(([name, variable]) => [variable, environment[variable] || String(ports[name])]),
      ),
      SIMULATOR_CERTIFICATE: certificates.certificate,
      SIMULATOR_PRIVATE_KEY: certificates.privateKey,
      // The file in which the simulator stores its accounts and devices, so that the demo's devices still exist after a restart.
      SIMULATOR_STATE: join(dataDir, 'simulator.jsonl'),
    },
    onReady: (message) => (addresses = SimulatorReady.parse(message)),
  })
  await crew.start([{ unit, kind: 'app', log }])
  if (addresses === undefined) throw new Error('The simulator is ready without addresses.')
  return { addresses, authorities: joinAuthorities(dataDir, certificates.ca, environment['NODE_EXTRA_CA_CERTS']) }
}

const SimulatorReady = z.object({
  apns: z.url(),
  apnsSandbox: z.url(),
  fcm: z.url(),
  fcmToken: z.url(),
  webPush: z.url(),
  control: z.url(),
})

/**
 * Gives the address at which a client on this machine reaches a server that listens on `host`. An address that means all interfaces, such as 0.0.0.0,
 * is no address to connect to.
 */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

async function untilHealthy(baseUrl: string): Promise<void> {
  const deadline = Date.now() + 30_000
  let last = 'no answer'
  while (Date.now() < deadline) {
    try {
      const answer = await fetch(`${baseUrl}/health`, { signal: AbortSignal.timeout(5_000) })
      if (answer.status === 200) return
      last = `${answer.status} ${(await answer.text()).slice(0, 300)}`
    } catch (error) {
      last = error instanceof Error ? error.message : String(error)
    }
    await wait(100)
  }
  throw new StartError(`Every service runs, but ${baseUrl}/health did not answer 200 within 30 s. Last answer: ${last}`)
}
