import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { consumers, duplicateWindowSeconds, streams, topologyVersion } from './topology.ts'

test('a change of a stream or a consumer fails here until its author writes the new hash, and so is told to raise the version of the topology', () => {
  const shape = consumers.map(({ durable, stream, subject, maxAckPending, ackWaitSeconds }) => [
    durable,
    stream,
    subject,
    maxAckPending,
    ackWaitSeconds,
  ])
  const digest = createHash('sha256')
    .update(JSON.stringify([streams, duplicateWindowSeconds, shape]))
    .digest('hex')

  // After a change of a stream or consumer raise topologyVersion, and write the new version and the new hash here.
  expect({ topologyVersion, digest: digest.slice(0, 16) }).toEqual({ topologyVersion: 1, digest: '366beb75e2dc468c' })
})
