import { bulkFanOutWork, consumers, fanOutWork, streams, topologyVersion } from '@herald/contracts/topology'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { atEnd } from '@herald/testing/at-end'
import { jetstreamManager, StorageType, type JetStreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { expect, test } from 'vitest'
import { openBus } from './bus.ts'
import { makeTopology } from './make-topology.ts'

async function givenServer(): Promise<{ url: string; manager: JetStreamManager }> {
  const url = await freshNats()
  const connection = await connect({ servers: url })
  atEnd(() => connection.close())
  return { url, manager: await jetstreamManager(connection) }
}

async function shapes(manager: JetStreamManager) {
  const stream = (await manager.streams.info('WORK')).config
  const consumer = (await manager.consumers.info('WORK', fanOutWork.durable)).config
  return {
    bytes: stream.max_bytes,
    unacked: consumer.max_ack_pending,
    versions: [stream.metadata?.['herald-topology'], consumer.metadata?.['herald-topology']],
  }
}

/** Changes the stream and the consumer as a process of another version would. `undefined` stands for a person, who gives no version. */
async function change(manager: JetStreamManager, version: number | undefined): Promise<void> {
  const metadata: Record<string, string> = version === undefined ? {} : { 'herald-topology': String(version) }
  const { config } = await manager.streams.info('WORK')
  await manager.streams.update('WORK', { ...config, max_bytes: 100_000_000, metadata })
  await manager.consumers.update('WORK', fanOutWork.durable, { max_ack_pending: 7, metadata })
}

const ours = {
  bytes: streams.WORK.maxBytes,
  unacked: fanOutWork.maxAckPending,
  versions: [String(topologyVersion), String(topologyVersion)],
}

test('a process with an older topology leaves the streams and consumers of a newer one as they are', async () => {
  const { url, manager } = await givenServer()
  const newer = topologyVersion + 1
  await change(manager, newer)

  // The newer topology has no such consumer any more, so the process must not make it again.
  await manager.consumers.delete('WORK', bulkFanOutWork.durable)

  await openBus(testService('gateway', { NATS_URL: url }))
  await makeTopology(manager)
  await expect(manager.consumers.info('WORK', bulkFanOutWork.durable)).rejects.toThrow('not found')
  expect(await shapes(manager)).toEqual({ bytes: 100_000_000, unacked: 7, versions: [String(newer), String(newer)] })

  await makeTopology(manager, { version: newer })
  expect(await shapes(manager)).toEqual({ ...ours, versions: [String(newer), String(newer)] })
})

test.each([undefined, topologyVersion - 1, topologyVersion])(
  'a stream and consumer changed by a process with topology version %s (undefined: a person) are set back',
  async (version) => {
    const { manager } = await givenServer()
    await change(manager, version)

    for (let run = 0; run < 3; run += 1) {
      await makeTopology(manager)
      expect(await shapes(manager)).toEqual(ours)
    }
    expect((await manager.streams.info('WORK')).config.storage).toBe(StorageType.File)
    expect((await manager.consumers.list('WORK').next()).length).toBe(consumers.filter(({ stream }) => stream === 'WORK').length)
  },
)
