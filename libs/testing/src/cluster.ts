import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@herald/embedded/free-port'
import { startNatsServer, type RunningNatsServer } from '@herald/embedded/nats-server'
import { atEnd } from './at-end.ts'
import { natsConfiguration } from './servers.ts'
import { until } from './until.ts'

export type ClusterServer = {
  name: string
  url: string
  kill: () => Promise<void>
  start: () => Promise<void>
  /** Stops the process without ending its connections, as a network does that loses all packets. */
  freeze: () => void
  thaw: () => void
}

/** Where a server of the cluster runs: its address, and a command that starts it there (`launcher` of startNatsServer). */
export type Place = { host: string; launcher: string[] }

const here: Place = { host: '127.0.0.1', launcher: [] }

/**
 * Starts an embedded nats-server at each place as one cluster, with the users of `freshNats`, until the test file ends. Without places: three on
 * 127.0.0.1. `url` lists all servers. A killed server starts again on its port and store.
 */
export async function startCluster(places: readonly Place[] = [here, here, here]): Promise<{ url: string; servers: ClusterServer[] }> {
  const directory = mkdtempSync(join(tmpdir(), 'herald-cluster-'))
  atEnd(() => rmSync(directory, { recursive: true, force: true }))
  const freePorts = () => Promise.all(places.map(() => freePort()))
  const [clients, routes] = await Promise.all([freePorts(), freePorts()])
  const routeUrls = places.map(({ host }, index) => `"nats://${host}:${routes[index]}"`).join(', ')
  const servers = places.map(({ host, launcher }, index): ClusterServer => {
    const port = clients[index] ?? 0
    const name = `nats-${index + 1}`
    let running: RunningNatsServer | undefined
    const kill = async () => {
      const child = running?.child
      running = undefined
      child?.kill('SIGKILL')
      if (child) await until(() => child.exitCode !== null || child.signalCode !== null)
    }
    atEnd(kill)
    return {
      name,
      url: `nats://${host}:${port}`,
      kill,
      freeze: () => void running?.child.kill('SIGSTOP'),
      thaw: () => void running?.child.kill('SIGCONT'),
      async start() {
        running = await startNatsServer({
          name,
          host,
          launcher,
          port,
          storeDir: join(directory, name),
          configuration: [
            natsConfiguration,
            // Like deploy/nats/cluster.conf.
            'ping_interval: "1s", ping_max: 2',
            `cluster {
              name: test, listen: "${host}:${routes[index]}", ping_interval: "1s", ping_max: 2
              routes: [${routeUrls}]
            }`,
          ].join('\n'),
        })
      },
    }
  })
  await Promise.all(servers.map((server) => server.start()))
  return { url: servers.map(({ url }) => url).join(','), servers }
}
