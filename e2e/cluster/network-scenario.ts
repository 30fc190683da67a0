import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { natsUsers } from '@herald/contracts/grants'
import { startPostgres } from '@herald/embedded/postgres'
import { closeAll } from '@herald/testing/at-end'
import { startCluster, type ClusterServer } from '@herald/testing/cluster'
import { freshDataDir, removeDataDir, startHerald, type Herald } from '@herald/testing/herald'
import { testNatsPassword } from '@herald/testing/servers'
import { givenTenant } from '@herald/testing/tenant'
import { natsPasswordVariable } from '@herald/tools/apps'
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { givenManyDevices } from '../chaos/crowd.ts'
import type { Platform } from '../chaos/platform.ts'
import { runningProcesses } from '../chaos/processes.ts'
import type { Scenario } from '../chaos/scenario.ts'
import { accepted, checkSends, send, untilAccepted, untilAllSettled } from '../chaos/sends.ts'
import { makeNetwork, type Machine, type Network } from './machines.ts'
import { linesLogged, pause, seconds, seenByClients, standstillOf, startPosting, window, type Posting } from './posting.ts'
import { leaderOfWork } from './queue-scenarios.ts'

/** A machine with a NATS server and a process of each service. */
type Node = { machine: Machine; nats: ClusterServer; herald: Herald }

type Stage = {
  network: Network
  nodes: Node[]
  /** Postgres, the simulator and a further gateway, which are in no namespace and are never cut off. */
  platform: Platform
  manager: JetStreamManager
}

/** For how long a machine is away, and for how long clients go on posting when it is back. */
const [cutMs, backMs] = [30_000, 15_000]
/** A call in flight to the machine that is cut off, or through it, fails after its 3 s; so does one that begins before NATS has given up its processes. */
const slowestCallMs = 5_000
/** After this time no call goes to the machine that is cut off any more. */
const refusedSeconds = 10
/** A machine that is back answers calls before its database watch has seen the database. */
const refusedAtReturnSeconds = 5
/**
 * What was under way at the cut and, once more, what the dispatcher wrote between its pushes' time limit (10 s) and their lease's end (12 s): it
 * arrives when the machine is back. 500 to 1,100 were seen.
 */
const copiesAllowed = 2 * window
/** The lease of a batch, the sweep after it, and then its pushes. */
const settledSeconds = 30

/** Runs work on a Herald of three machines, each with a NATS server and a process of each service, and a fourth with everything that is there once. */
async function onMachines(work: (stage: Stage) => Promise<void>): Promise<void> {
  const network = makeNetwork(3)
  const folder = mkdtempSync(join(tmpdir(), 'herald-machines-'))
  const dataDirs: string[] = []
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true }), () => dataDirs.forEach(removeDataDir)]
  try {
    ends.push(closeAll)
    const { url, servers } = await startCluster(network.machines)
    const connection = await connect({ servers: url.split(','), maxReconnectAttempts: -1 })
    ends.push(() => connection.close())
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 1_000 })
    const databaseUrl = await startDatabase(folder, network, ends)
    const start = async (env: Record<string, string>, of?: { machine: Machine; secretsOf: Herald }): Promise<Herald> => {
      const dataDir = freshDataDir()
      dataDirs.push(dataDir)
      if (of) copyFileSync(join(of.secretsOf.dataDir, 'secrets.json'), join(dataDir, 'secrets.json'))
      const passwords = Object.fromEntries(natsUsers.map((user) => [natsPasswordVariable(user), testNatsPassword]))
      const given = { LOG_LEVEL: 'warn', DATABASE_URL: databaseUrl, NATS_URL: url, NATS_REPLICAS: '3', ...passwords, ...env }
      const herald = await startHerald({ dataDir, env: given, ...(of && { launcher: of.machine.launcher }) })
      ends.push(() => herald.stop())
      return herald
    }
    const others = ['audience', 'campaigns', 'dispatcher', 'tracker', 'webhooks']
    const whole = await start({ SIMULATOR_HOST: 'simulator', HERALD_INSTANCES: others.map((app) => `${app}=0`).join(',') })
    const nodes: Node[] = []
    for (const [index, machine] of network.machines.entries()) {
      const herald = await start({ HOST: machine.host, ...providersOf(whole) }, { machine, secretsOf: whole })
      nodes.push({ machine, nats: servers[index] ?? fail('a machine has no NATS server'), herald })
    }
    const tenant = await givenTenant(whole)
    // The simulator's limit on new provider tokens of APNs is raised, because it is not tested here.
    await tenant.simulator('PUT', '/faults', { providerTokenUpdates: 1_000, latencyMs: 500 })
    await work({ network, nodes, platform: { herald: whole, tenant }, manager })
  } finally {
    for (const machine of network.machines) network.mend(machine)
    try {
      for (const end of ends.toReversed()) await end()
    } finally {
      network.remove()
    }
  }
}

/** Starts a Postgres that the machines reach, and gives the owner's address. */
async function startDatabase(folder: string, network: Network, ends: (() => unknown)[]): Promise<string> {
  const access = join(folder, 'pg_hba.conf')
  writeFileSync(access, ['127.0.0.1/32', network.range].map((range) => `host all all ${range} scram-sha-256\n`).join(''))
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    durable: true,
    database: 'herald',
    settings: { listen_addresses: `127.0.0.1,${network.host}`, hba_file: access, max_connections: '400' },
  })
  ends.push(() => postgres.stop())
  const url = new URL(postgres.url())
  url.hostname = network.host
  return url.href
}

/** The settings with which another Herald's services reach this one's simulator. */
function providersOf({ dataDir }: Herald): Record<string, string> {
  const { simulator } = JSON.parse(readFileSync(join(dataDir, 'ports.json'), 'utf8')) as { simulator: Record<string, number> }
  const at = (name: string) => `https://simulator:${simulator[name]}`
  return {
    HERALD_SIMULATOR: 'off',
    APNS_URL: at('apns'),
    APNS_SANDBOX_URL: at('apnsSandbox'),
    FCM_URL: at('fcm'),
    FCM_TOKEN_URL: `${at('oauth')}/token`,
    WEB_PUSH_ALLOW_PRIVATE: 'true',
    NODE_EXTRA_CA_CERTS: join(dataDir, 'certificates', 'authorities.pem'),
  }
}

const networkCut: Scenario = {
  promise:
    'One of three machines, each with a NATS server and a process of every service, is cut off from the network for 30 s in the middle of a send, and its NATS server led WORK: clients of the others are answered within 5 s, and 202 again after 10 s at most, as are its own within 5 s of its return; the large send ends while the machine is away; nothing is lost; copies are at most the window of its dispatcher and what the dispatcher wrote when the first pushes had timed out; and when it is back it works on with the same processes.',
  run: (scene) =>
    onMachines(async ({ network, nodes, platform, manager }) => {
      const { note, check } = scene
      const { tenant } = platform
      const devices = await givenManyDevices(platform, Math.min(scene.devices, 20_000))
      const large = await send(tenant, 'large', devices)
      const leader = await leaderOfWork({ manager, servers: nodes.map(({ nats }) => nats) })
      const cut = nodes.find(({ nats }) => nats === leader) ?? fail(`no machine has the server ${leader.name}`)
      const others = nodes.filter((node) => node !== cut)
      const post = (herald: Herald, name: string) => startPosting({ herald, tenant }, devices, 5, name)
      const postings = [platform.herald, ...others.map(({ herald }) => herald)].map((herald, no) => post(herald, `others-${no}`))
      let postingBack: Posting | undefined
      const stop = () => Promise.all([...postings, ...(postingBack ? [postingBack] : [])].map((posting) => posting.stop()))
      try {
        await untilAccepted(tenant, devices.length * 0.2)
        const pids = runningProcesses(cut.herald.dataDir)
        const lines = () => nodes.reduce((sum, { herald }) => sum + linesLogged({ herald, tenant }), 0)
        const linesBefore = lines()
        const acceptedBefore = await accepted(tenant)
        const since = Date.now()
        network.cut(cut.machine)
        const settling = untilAllSettled(tenant, [large])
        await pause(cutMs)
        network.mend(cut.machine)
        const backAt = Date.now()
        postingBack = post(cut.herald, 'back')
        await pause(backMs)
        await stop()
        const largeSettledAfter = await settling
        const campaigns = [large, ...postings.flatMap((posting) => posting.accepted), ...postingBack.accepted]
        await untilAllSettled(tenant, campaigns)

        const attempts = postings.flatMap((posting) => posting.attempts)
        const seen = seenByClients(
          attempts.filter(({ at, ms }) => at + ms < backAt),
          since,
        )
        const seenBack = seenByClients([...attempts, ...postingBack.attempts], backAt)
        const left = runningProcesses(cut.herald.dataDir)
        const ended = [...pids].filter(([name, pid]) => left.get(name) !== pid).map(([name]) => name)
        note({ acceptedBefore, ...seen, whenItIsBack: seenBack })
        note({
          largeStoodStillFor: await standstillOf(platform, large, since),
          largeSettledAfter: seconds(largeSettledAfter * 1_000),
          linesLogged: lines() - linesBefore,
        })
        check(seen.slowestMs <= slowestCallMs, `a post took ${seen.slowestMs} ms`)
        check(seen.refusedForSeconds <= refusedSeconds, `posts were refused for ${seen.refusedForSeconds} s`)
        check(seenBack.slowestMs <= slowestCallMs, `a post took ${seenBack.slowestMs} ms after the return`)
        check(
          seenBack.refusedForSeconds <= refusedAtReturnSeconds,
          `posts were refused for ${seenBack.refusedForSeconds} s after the return`,
        )
        check(largeSettledAfter <= settledSeconds, `the large send was settled after ${largeSettledAfter} s`)
        check(ended.length === 0, `processes of the machine ended: ${ended.join(', ')}`)
        await checkSends(scene, tenant, campaigns, copiesAllowed)
      } finally {
        await stop()
      }
    }),
}

function fail(why: string): never {
  throw new Error(why)
}

export const networkScenarios: Record<string, Scenario> = { 'network-cut': networkCut }
