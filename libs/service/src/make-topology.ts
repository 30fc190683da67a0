import { consumers, duplicateWindowSeconds, streams, topologyVersion } from '@herald/contracts/topology'
import {
  AckPolicy,
  DiscardPolicy,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type ConsumerConfig,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'

/** In the metadata of a stream or consumer, the key for the version of the topology that made or last changed it. */
const versionKey = 'herald-topology'

type Made = { metadata?: Record<string, string> }
/** Gives the version of the topology that made or last changed a stream or consumer; 0 when it has none. */
export const versionOf = (there: Made): number => Number(there.metadata?.[versionKey] ?? 0)

/**
 * Makes streams and durable consumers as libs/contracts/topology.ts says, and sets changed ones back, but none of a newer version. A stream with fewer
 * than `replicas` copies gets as many.
 */
export async function makeTopology(
  manager: JetStreamManager,
  { version = topologyVersion, replicas = 1 }: { version?: number; replicas?: number | undefined } = {},
): Promise<void> {
  const metadata = { [versionKey]: String(version) }
  const mayChange = (there: Made) => versionOf(there) <= version
  const newer = new Set<string>()
  for (const [name, stream] of Object.entries(streams)) {
    const wanted: Partial<StreamConfig> & { name: string } = {
      name,
      subjects: [...stream.subjects],
      retention: stream.retention === 'workqueue' ? RetentionPolicy.Workqueue : RetentionPolicy.Limits,
      storage: StorageType.File,
      discard: stream.discard === 'new' ? DiscardPolicy.New : DiscardPolicy.Old,
      max_bytes: stream.maxBytes,
      max_msgs_per_subject: 'maxPerSubject' in stream ? stream.maxPerSubject : -1,
      max_age: nanos(stream.maxAgeDays * 86_400_000),
      duplicate_window: nanos(duplicateWindowSeconds * 1_000),
      num_replicas: replicas,
      metadata,
    }
    await manager.streams.add(wanted).catch(async (error: unknown) => {
      if (!isTaken(error)) throw error
      const { config } = await manager.streams.info(name)
      if (mayChange(config)) await manager.streams.update(name, { ...wanted, num_replicas: Math.max(replicas, config.num_replicas) })
      else newer.add(name)
    })
  }
  for (const { stream, durable, subject, maxAckPending, ackWaitSeconds } of consumers) {
    if (newer.has(stream)) continue
    const wanted: Partial<ConsumerConfig> = {
      durable_name: durable,
      filter_subject: subject,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitSeconds * 1_000),
      max_ack_pending: maxAckPending,
      max_deliver: -1,
      metadata,
    }
    await manager.consumers.add(stream, wanted).catch(async (error: unknown) => {
      if (!isTaken(error)) throw error
      const { config } = await manager.consumers.info(stream, durable)
      if (mayChange(config)) await manager.consumers.update(stream, durable, wanted)
    })
  }
}

/** Says whether the name is taken by a stream (code 10058) or consumer (10148, 10105) with another configuration. */
const isTaken = (error: unknown): boolean => error instanceof JetStreamApiError && [10058, 10105, 10148].includes(error.code)
