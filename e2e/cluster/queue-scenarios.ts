import { natsUsers } from '@herald/contracts/grants'
import { setUpQueue } from '@herald/service/set-up-queue'
import { closeAll } from '@herald/testing/at-end'
import { startCluster, type ClusterServer } from '@herald/testing/cluster'
import { testNatsPassword } from '@herald/testing/servers'
import { until } from '@herald/testing/until'
import { natsPasswordVariable } from '@herald/tools/apps'
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { givenManyDevices } from '../chaos/crowd.ts'
import { onPlatform, type Platform } from '../chaos/platform.ts'
import { readyPid, runningProcesses, signalAll } from '../chaos/processes.ts'
import type { Scenario, Scene } from '../chaos/scenario.ts'
import type { Campaign } from '../chaos/scenario-result.ts'
import { checkSends, send, untilAccepted, untilAllSettled } from '../chaos/sends.ts'
import { faultBegins, linesLogged, pause, seconds, seenByClients, settle, startPosting, window, type Posting } from './posting.ts'

type Stage = {
  servers: ClusterServer[]
  url: string
  manager: JetStreamManager
  platform: Platform
  large: Campaign
  posting: Posting
}

/** Runs work while a large send is under way and clients post, on a Herald with three servers of NATS and three copies of each stream. */
async function onCluster(
  { devices: count }: Scene,
  work: (stage: Stage) => Promise<void>,
  { env = {}, latencyMs = 100, perSecond }: { env?: Record<string, string>; latencyMs?: number; perSecond?: number } = {},
): Promise<void> {
  const { url, servers } = await startCluster()
  const connection = await connect({ servers: url.split(','), maxReconnectAttempts: -1 })
  try {
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 1_000 })
    const passwords = Object.fromEntries(natsUsers.map((user) => [natsPasswordVariable(user), testNatsPassword]))
    const given = { LOG_LEVEL: 'warn', NATS_URL: url, NATS_REPLICAS: '3', ...passwords, ...env }
    await onPlatform(given, async (platform) => {
      const devices = await givenManyDevices(platform, Math.min(count, 20_000))
      await platform.tenant.simulator('PUT', '/faults', { latencyMs })
      const large = await send(platform.tenant, 'large', devices)
      const posting = startPosting(platform, devices, perSecond)
      try {
        await untilAccepted(platform.tenant, devices.length * 0.2)
        await work({ servers, url, manager, platform, large, posting })
      } finally {
        await posting.stop()
      }
    })
  } finally {
    await connection.close()
    await closeAll()
  }
}

/** Waits until the stream WORK has a leader, and gives its server. */
export const leaderOfWork = ({ manager, servers }: Pick<Stage, 'manager' | 'servers'>): Promise<ClusterServer> =>
  until(
    async () => {
      const name = (await manager.streams.info('WORK')).cluster?.leader
      return servers.find((server) => server.name === name)
    },
    { withinMs: 20_000, what: 'WORK has a leader' },
  )

const leader: Scenario = {
  promise:
    'The server of NATS that leads WORK is killed in the middle of a send: no post is refused but those that were in flight on it, the large send stands still for 10 s at most, nothing is lost, and nothing is sent twice.',
  run: (scene) =>
    onCluster(scene, async (stage) => {
      const { platform, posting } = stage
      const killed = await leaderOfWork(stage)
      const fault = faultBegins(platform)
      await killed.kill()
      await pause(12_000)
      await killed.start()
      const { largeStoodStillFor, campaigns } = await settle(scene, stage, fault)
      const later = seenByClients(posting.attempts, fault.since + 1_000).refused
      scene.check(Object.keys(later).length === 0, `posts were answered ${JSON.stringify(later)}`)
      scene.check(largeStoodStillFor <= 10, `the large send stood still for ${largeStoodStillFor} s`)
      await checkSends(scene, platform.tenant, campaigns, 0)
    }),
}

const quorum: Scenario = {
  promise:
    'Two of three servers of NATS are away for 60 s while 20 clients post and each of two processes of every service but the gateway is restarted once: no post is refused but those that were in flight on a killed server, all is sent within 30 s of their return, nothing is lost or sent twice, and no more than 200 lines are logged.',
  run: (scene) =>
    onCluster(
      scene,
      async (stage) => {
        const { platform, large, servers, posting } = stage
        const { herald, tenant } = platform
        // The large send ends first: what is measured is what clients and starting services see.
        await untilAllSettled(tenant, [large])
        const fault = faultBegins(platform)
        const first = await leaderOfWork(stage)
        const away = [first, ...servers.filter((server) => server !== first).slice(0, 1)]
        await Promise.all(away.map((server) => server.kill()))
        await pause(10_000)
        for (const name of ['audience', 'campaigns', 'dispatcher', 'tracker', 'webhooks'].flatMap((app) => [`${app}-1`, `${app}-2`])) {
          const pid = runningProcesses(herald.dataDir).get(name) ?? 0
          signalAll([pid], 'SIGTERM')
          // Its successor answers before the next goes, as in a rolling restart.
          await until(() => ![undefined, pid].includes(readyPid(herald.dataDir, name)), { withinMs: 30_000, what: `${name} is replaced` })
        }
        await pause(fault.since + 60_000 - Date.now())
        await Promise.all(away.map((server) => server.start()))
        const backAt = Date.now()
        await posting.stop()
        await untilAllSettled(tenant, posting.accepted)
        const settledAfter = seconds(Date.now() - backAt)
        const logged = linesLogged(platform) - fault.lines
        const seen = seenByClients(posting.attempts, fault.since)
        scene.note({ ...seen, settledAfter, linesLogged: logged })
        const later = seenByClients(posting.attempts, fault.since + 1_000).refused
        scene.check(Object.keys(later).length === 0, `posts were answered ${JSON.stringify(later)}`)
        scene.check(
          Object.values(seen.refused).every((count) => count <= 3),
          `${JSON.stringify(seen.refused)} when the servers were killed`,
        )
        scene.check(settledAfter <= 30, `all was sent ${settledAfter} s after the return`)
        scene.check(logged <= 200, `${logged} lines were logged`)
        await checkSends(scene, tenant, [large, ...posting.accepted], 0)
      },
      { env: { LOG_LEVEL: 'info', HERALD_INSTANCES: 'audience=2,campaigns=2,dispatcher=2,tracker=2,webhooks=2' }, perSecond: 20 },
    ),
}

const frozen: Scenario = {
  promise:
    'A server of NATS that leads WORK is frozen for 30 s, as one that the network has cut off: no call hangs longer than 5 s, nothing is lost, and there are no more copies than one window.',
  run: (scene) =>
    onCluster(scene, async (stage) => {
      const { platform } = stage
      const cut = await leaderOfWork(stage)
      const fault = faultBegins(platform)
      cut.freeze()
      await pause(30_000)
      cut.thaw()
      const { seen, campaigns } = await settle(scene, stage, fault)
      scene.check(seen.slowestMs <= 5_000, `a post took ${seen.slowestMs} ms`)
      await checkSends(scene, platform.tenant, campaigns, window)
    }),
}

const reset: Scenario = {
  promise:
    '`set-up queue --reset` in the middle of a send: every post is 202, the send goes on, nothing is lost, and nothing is sent twice.',
  run: (scene) =>
    onCluster(scene, async (stage) => {
      const { platform, url, large } = stage
      const fault = faultBegins(platform)
      scene.note({ copiesOfStreams: await setUpQueue({ NATS_URL: url }, { replicas: 3, reset: true }) })
      await untilAllSettled(platform.tenant, [large])
      const { seen, campaigns } = await settle(scene, stage, fault)
      scene.check(Object.keys(seen.refused).length === 0, `posts were answered ${JSON.stringify(seen.refused)}`)
      await checkSends(scene, platform.tenant, campaigns, 0)
    }),
}

const twoOfEach: Scenario = {
  promise:
    'Two processes of each service, and one of each is killed in the middle of a send, 0.7 s apart: every post is 202 or is repeated with success, nothing is lost, and there are no more copies than the window of the killed dispatcher.',
  run: (scene) =>
    onCluster(
      scene,
      async (stage) => {
        const { platform } = stage
        const fault = faultBegins(platform)
        for (const app of ['audience', 'campaigns', 'dispatcher', 'tracker', 'webhooks']) {
          const pid = runningProcesses(platform.herald.dataDir).get(`${app}-2`)
          if (pid !== undefined) signalAll([pid], 'SIGKILL')
          await pause(700)
        }
        await pause(5_000)
        const { campaigns } = await settle(scene, stage, fault)
        await checkSends(scene, platform.tenant, campaigns, window)
      },
      { env: { HERALD_INSTANCES: 'gateway=2,audience=2,campaigns=2,dispatcher=2,tracker=2,webhooks=2' }, latencyMs: 200 },
    ),
}

export const queueScenarios: Record<string, Scenario> = {
  'queue-leader': leader,
  'queue-quorum': quorum,
  'queue-frozen': frozen,
  'queue-reset': reset,
  'two-of-each': twoOfEach,
}
