import { inboxOf, natsUser } from '@herald/contracts/grants'
import { streams, topologyVersion, type StreamName } from '@herald/contracts/topology'
import { jetstreamManager, type StreamConfig } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import type { BusConfig } from './bus.ts'
import { natsServers } from './config.ts'
import { makeTopology, versionOf } from './make-topology.ts'
import { isMissing } from './queue-store.ts'

/** A request to JetStream waits at most this long. */
const requestLimitMs = 5_000

/**
 * Makes streams and consumers with `replicas` copies or more, and gives each stream's number of copies. `reset` deletes them first, which is safe
 * while services run: messages only point at rows, and rows get new pointers.
 */
export async function setUpQueue(
  config: BusConfig,
  { replicas = 1, reset = false }: { replicas?: number; reset?: boolean } = {},
): Promise<Record<string, number>> {
  const { NATS_USER, NATS_PASSWORD } = config
  const connection = await connect({
    ...natsServers(config),
    ...(NATS_PASSWORD && { user: NATS_USER || natsUser('queue'), pass: NATS_PASSWORD }),
    name: 'set-up queue',
    inboxPrefix: inboxOf('queue'),
  })
  try {
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: requestLimitMs })
    const names = Object.keys(streams) as StreamName[]
    const read = async () => {
      const found: StreamConfig[] = []
      for (const name of names) {
        const info = await manager.streams.info(name).catch((error: unknown) => {
          if (!isMissing(error)) throw error
        })
        if (info) found.push(info.config)
      }
      return found
    }
    const before = await read()
    if (reset && before.some((stream) => versionOf(stream) > topologyVersion))
      throw new Error('A newer version of Herald made these streams. Reset them with that version.')
    if (reset) for (const { name } of before) await manager.streams.delete(name)
    await makeTopology(manager, { replicas: Math.max(replicas, ...before.map(({ num_replicas }) => num_replicas)) })
    return Object.fromEntries((await read()).map(({ name, num_replicas }) => [name, num_replicas]))
  } finally {
    await connection.close()
  }
}
