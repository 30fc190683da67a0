import { newId } from '@herald/contracts/ids'
import { until } from '@herald/testing/until'
import { afterEach, expect, test } from 'vitest'
import { freshMs } from './freshness.ts'
import type { Row } from './testing/start-peers.ts'
import { startRig } from './testing/start-rig.ts'

/** Tests a dispatcher in a process of its own. Stand-ins on the bus answer for audience, tracker and gateway, and the simulator for the providers. */

const rig = await startRig()
afterEach(async () => {
  rig.peers.state.locked.clear()
  await rig.clean()
})

/** Queues batches of one device each. All are of one app, and each has a campaign of its own. */
async function givenSmallBatches(count: number): Promise<Row[]> {
  const devices = await rig.androids(count)
  return devices.map((device) => rig.peers.queue('android', [device], { lane: 'prompt', campaignId: newId() }))
}
const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0)

test('16 small batches that one message names take at most four calls, are finished, and each push is sent', async () => {
  await rig.start()
  const { takenTogether, finishedTogether } = rig.peers.state
  const rows = await givenSmallBatches(16)
  const [takes, finishes] = [takenTogether.length, finishedTogether.length]

  await rig.peers.pointTogether(rows)
  for (const row of rows) await rig.finishOf(row)

  expect(sum(takenTogether.slice(takes))).toBe(rows.length)
  expect(takenTogether.length - takes).toBeLessThanOrEqual(4)
  await until(() => sum(finishedTogether.slice(finishes)) >= rows.length)
  for (const row of rows) expect(rig.peers.outcomesOf(row).map(({ outcome }) => outcome)).toEqual(['sent'])
})

// spec: running/locked-row
test('a batch for which audience cannot answer fails no other batch of its call, and is taken once audience can', async () => {
  await rig.start()
  const rows = await givenSmallBatches(5)
  const locked = rows.splice(2, 1)[0]!
  rig.peers.state.locked.add(locked.batchId)

  await rig.peers.pointTogether([locked, ...rows])

  for (const row of rows) expect((await rig.finishOf(row)).takes).toBe(1)
  expect(locked.takes).toBe(0)
  rig.peers.state.locked.clear()
  expect((await rig.finishOf(locked)).takes).toBe(1)
})

test('when the batches of a message cannot be taken, NATS delivers the message again, and each batch is taken once', async () => {
  await rig.start()
  const rows = await givenSmallBatches(3)
  rig.peers.state.audienceIsAway = true
  const { takenTogether } = rig.peers.state
  const before = takenTogether.length
  await rig.peers.pointTogether(rows)
  await until(() => takenTogether.length > before)
  rig.peers.state.audienceIsAway = false

  for (const row of rows) await rig.finishOf(row)
  for (const row of rows) expect(row.takes).toBe(1)
})

test('a waiting dispatcher sends the push of each batch that audience gives it, and finishes the batches', async () => {
  await rig.start()
  const rows = await givenSmallBatches(16)

  await rig.peers.give(rows)

  for (const row of rows) expect((await rig.finishOf(row)).takes).toBe(1)
  for (const row of rows) expect(rig.peers.outcomesOf(row).map(({ outcome }) => outcome)).toEqual(['sent'])
})

// spec: tracking/owner-first
test('a batch that comes with its content is sent without asking audience, unless the dispatcher was frozen meanwhile', async () => {
  const { process } = await rig.start()
  const [fresh, old] = await givenSmallBatches(2)
  if (!fresh || !old) throw new Error('no batch')
  const answerWaits = async () => {
    for (let waits = 0; waits < 5; waits += 1) {
      await rig.peers.untilOneWaits()
      rig.peers.endWaits()
    }
  }
  // The dispatcher has credentials then, and knows how long answers take.
  const [first] = await givenSmallBatches(1)
  await rig.peers.give(first ? [first] : [])
  await answerWaits()
  await rig.peers.give([fresh], { withContent: true })
  await rig.finishOf(fresh)

  await rig.peers.untilOneWaits()
  process.kill('SIGSTOP')
  const givenAt = performance.now()
  await rig.peers.give([old], { withContent: true })
  // The lease is 12 s, so the dispatcher may still send the push, to whom the device belongs now.
  await until(() => performance.now() - givenAt > 2 * freshMs, { what: 'the content to be old' })
  process.kill('SIGCONT')
  await rig.finishOf(old)

  for (const row of [fresh, old]) expect(rig.peers.outcomesOf(row).map(({ outcome }) => outcome)).toEqual(['sent'])
  expect([fresh.asked.length, old.asked.length]).toEqual([0, 1])
  // What no take has counted against the credentials' rate, the finish says.
  expect([fresh, old].map((row) => row.finished[0]?.rate?.taken)).toEqual([1, undefined])
})

test('a dispatcher frozen while it waited sends nothing of batches that it was given before it went on', async () => {
  const frozen = await rig.start()
  const [row, later] = await givenSmallBatches(2)
  if (!row || !later) throw new Error('no batch')
  // On a busy machine a dispatcher that is ready may not have asked for batches yet.
  await rig.peers.untilOneWaits()
  frozen.process.kill('SIGSTOP')
  await rig.peers.give([row])
  await until(() => row.leasedUntil < performance.now(), { what: 'the lease over' })
  frozen.process.kill('SIGCONT')

  await rig.peers.give([later])
  await rig.finishOf(later)

  expect(rig.peers.outcomesOf(row).filter(({ outcome }) => outcome === 'sent')).toEqual([])
})
