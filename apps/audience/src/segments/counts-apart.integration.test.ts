import * as calls from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { givenDevice, givenSend, openAudience } from '../testing/rig.ts'

const { db, bus, peers, startProcess } = await openAudience()
await startProcess()

const plain = { field: 'country', op: 'exists', value: false }
/** A count that takes as long as the ledger does not answer, at most 2 s. */
const dear = { field: 'lastNotifiedAt', op: 'exists', value: true }

// spec: limits/counts-apart
test('while an app has dear counts under way and waiting, another app’s count and dry run are answered at once', async () => {
  const [appId, other] = [newId(), newId()]
  await givenDevice(db, { appId })
  await givenDevice(db, { appId: other })
  const ledger = Promise.withResolvers<void>()
  peers.state.notifiedAnswersAfter = ledger.promise
  let done = 0
  const ended = () => void (done += 1)
  const counts = Array.from({ length: 5 }, () => bus.call(calls.previewSegment, { appId, segment: dear }).then(ended, ended))
  await until(() => peers.state.askedNotified > 0)

  expect((await bus.call(calls.previewSegment, { appId: other, segment: plain })).count).toBe(1)
  const send = givenSend(other)
  const asked = { appId: other, send, target: { kind: 'all' as const }, startsAt: null, samples: { random: 1, seed: 'x' } }
  expect(await bus.call(calls.dryRun, asked)).toBeDefined()
  expect(done).toBe(0)

  ledger.resolve()
  await Promise.all(counts)
})
