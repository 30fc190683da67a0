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

/**
 * Starts three embedded nats-servers as one cluster on 127.0.0.1, with the users of `freshNats`. They end with the test file. `url` is the comma list of
 * the servers. A killed server starts again on its port and its store.
 */
export async function startCluster(): Promise<{ url: string; servers: ClusterServer[] }> {
  const directory = mkdtempSync(join(tmpdir(), 'herald-cluster-'))
  atEnd(() => rmSync(directory, { recursive: true, force: true }))
  const freePorts = () => Promise.all([freePort(), freePort(), freePort()])
  const [clients, routes] = await Promise.all([freePorts(), freePorts()])
  const servers = clients.map((port, index): ClusterServer => {
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
      url: `nats://127.0.0.1:${port}`,
      kill,
      freeze: () => void running?.child.kill('SIGSTOP'),
      thaw: () => void running?.child.kill('SIGCONT'),
      async start() {
        running = await startNatsServer({
          name,
          port,
          storeDir: join(directory, name),
          configuration: [
            natsConfiguration,
            `cluster {
              name: test, listen: "127.0.0.1:${routes[index]}", ping_interval: "1s", ping_max: 2
              routes: [${routes.map((route) => `"nats://127.0.0.1:${route}"`).join(', ')}]
            }`,
          ].join('\n'),
        })
      },
    }
  })
  await Promise.all(servers.map((server) => server.start()))
  return { url: servers.map(({ url }) => url).join(','), servers }
}
