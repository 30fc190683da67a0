import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { consumers, duplicateWindowSeconds, streams, topologyVersion } from './topology.ts'

test('streams and consumers have the hash beside the topology’s version, so that a change raises it', () => {
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
  expect({ topologyVersion, digest: digest.slice(0, 16) }).toEqual({ topologyVersion: 2, digest: '44bd6542110d2c7d' })
})
