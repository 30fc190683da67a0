import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { consumers, duplicateWindowSeconds, streams, topologyVersion } from './topology.ts'

test('a change of streams or consumers raises the version that keeps an older process from undoing it', () => {
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

  // A change of a stream or consumer raises topologyVersion; the version and the hash here change with it.
  expect({ topologyVersion, digest: digest.slice(0, 16) }).toEqual({ topologyVersion: 1, digest: '366beb75e2dc468c' })
})
