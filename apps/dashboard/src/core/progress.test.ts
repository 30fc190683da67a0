import { noStats } from '@herald/contracts/stats'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { equationOf, rateOf, stateSentence, withSample, type PlatformSample, type State } from './progress.ts'

// spec: dashboard/equation
test('queued = sent + failed + skipped + waiting holds for every reading of a send', () => {
  const count = fc.integer({ min: 0, max: 2_000_000 })
  fc.assert(
    fc.property(count, count, count, count, (sent, failed, skipped, waiting) => {
      const read = { ...noStats, queued: sent + failed + skipped + waiting, sent, failed, skipped }
      const shown = equationOf(read)
      expect(shown.sent + shown.failed + shown.skipped + shown.waiting).toBe(shown.queued)
      expect(shown.waiting).toBe(waiting)
    }),
  )
})

const none = { queued: 0, settled: 0 }
const sampleAt = (at: number, settled: number): PlatformSample => ({
  at,
  byPlatform: { ios: { queued: 1_000, settled }, android: none, web: none },
})

test('the speed of a platform is measured over the last ten seconds, and is unknown from one reading alone', () => {
  let samples: PlatformSample[] = []
  samples = withSample(samples, sampleAt(0, 0))
  expect(rateOf(samples, 'ios')).toBeNull()
  samples = withSample(samples, sampleAt(2_000, 100))
  expect([rateOf(samples, 'ios'), rateOf(samples, 'android')]).toEqual([50, 0])
  samples = withSample(samples, sampleAt(11_000, 100))
  expect(samples.map(({ at }) => at)).toEqual([2_000, 11_000])
  expect(rateOf(samples, 'ios')).toBe(0)
})

const startedAt = '2026-02-06T15:00:00.000Z'
const now = Date.parse('2026-02-06T15:00:40.000Z')
const state = (changes: Partial<State>): State => ({
  status: 'sending',
  cancelling: false,
  stats: noStats,
  fannedOut: true,
  expected: null,
  heldBecause: null,
  ratePerSecond: 0,
  etaSeconds: null,
  startedAt,
  settledAt: null,
  failure: null,
  isRecurring: false,
  ...changes,
})
const under = (queued: number, sent: number) => ({ ...noStats, queued, sent })

test('a send under way is shown with its share, the time since it began, the time left and its speed', () => {
  const read = state({ stats: under(20_000, 12_200), ratePerSecond: 4_980, etaSeconds: 25 })
  expect(stateSentence(read, now)).toBe('Sending: 61 % after 40 s, about 25 s left, 298,800 per minute.')
})

// spec: dashboard/share-of-expected
test('while devices are still looked at the share is of expected pushes, and 100 % only at the end', () => {
  const read = state({ stats: under(5_000, 4_000), fannedOut: false, expected: 40_000, ratePerSecond: 500, etaSeconds: 72 })
  expect(stateSentence(read, now)).toBe('Sending: 10 % of about 40,000 after 40 s, about 1 min 12 s left, 30,000 per minute.')
  expect(stateSentence({ ...read, expected: 4_000, etaSeconds: 0 }, now)).toContain('99 % of about 4,000')
})

// spec: dashboard/held
test('a send whose pushes are held says why, instead of a share that does not move', () => {
  const read = state({ stats: under(372, 0), heldBecause: 'APNs refuses the app’s credentials.' })
  expect(stateSentence(read, now)).toBe(
    'On hold after 40 s: 372 pushes wait. APNs refuses the app’s credentials. They wait until their time to live ends.',
  )
  expect(stateSentence({ ...read, ratePerSecond: 12 }, now)).toContain('Sending: 0 %')
})

test('no share is shown while the fan-out still finds devices and nobody knows of how many', () => {
  const read = state({ stats: under(5_000, 1_000), fannedOut: false, ratePerSecond: 500 })
  expect(stateSentence(read, now)).toBe('Sending: 5,000 pushes queued so far after 40 s, 30,000 per minute; still adding recipients.')
})

test('a send that has one push without an outcome is not shown as 100 %', () => {
  expect(stateSentence(state({ stats: under(20_000, 19_999) }), now)).toBe('Sending: > 99 % after 40 s.')
})

test('a paused, a cancelled and a sent send say what became of their pushes, and a failed send says why', () => {
  expect(stateSentence(state({ status: 'paused', stats: under(10, 4) }), now)).toBe(
    'Paused: 6 pushes wait. Resume before their time to live ends; a pause of usually 30 days becomes a cancel.',
  )
  expect(stateSentence(state({ status: 'paused', cancelling: true, stats: under(10, 9) }), now)).toBe(
    'Cancelling: 1 push waiting. What a provider already has cannot be stopped.',
  )
  const settledAt = '2026-02-06T15:00:09.000Z'
  expect(stateSentence(state({ status: 'sent', settledAt, stats: under(10, 10) }), now)).toBe(
    'Sent in 9 s: 10 of 10 pushes were accepted by the providers.',
  )
  expect(stateSentence(state({ status: 'sent', settledAt }), now)).toBe('No recipients: no device matched.')
  expect(stateSentence(state({ status: 'cancelled', settledAt, stats: under(10, 4) }), now)).toBe(
    'Cancelled: 4 of 10 pushes had been sent.',
  )
  const failure = { code: 'invalid_segment', message: 'The segment does not compile.' }
  expect(stateSentence(state({ status: 'failed', failure }), now)).toBe('Failed: The segment does not compile.')
})
