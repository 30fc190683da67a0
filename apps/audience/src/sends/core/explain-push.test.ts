import { describe, expect, test } from 'vitest'
import { placeInBatch, placeWithoutBatch, type FanOutSoFar, type OpenPlace } from './explain-push.ts'

const id = '5'.repeat(24)
const now = new Date('2026-03-01T10:00:00Z')
const running: FanOutSoFar = {
  state: 'running',
  flow: 'running',
  boundId: 'f'.repeat(24),
  cursor: '4'.repeat(24),
  page: 3,
  wave: 0,
  perMinute: null,
}
const waves = [
  { at: '2026-03-01T11:00:00.000Z', zones: ['Asia/Tokyo'] },
  { at: '2026-03-01T12:00:00.000Z', zones: ['America/Lima'] },
]
const place = (change: Partial<FanOutSoFar>, of = { waves: [] as typeof waves, own: 0 }) =>
  placeWithoutBatch({ ...running, ...change }, id, of)

// spec: administration/explain-waiting
describe('where explain finds a push that no unfinished batch holds', () => {
  test('while the fan-out has not come to a device, explain says what the fan-out waits for', () => {
    expect(place({})).toEqual({ is: 'ahead', waitingFor: { kind: 'fan_out', scanned: 10_000, of: null } })
    expect(place({ perMinute: 600 })).toEqual({ is: 'ahead', waitingFor: { kind: 'rate', at: null, perMinute: 600 } })
    expect(place({ state: 'waiting' })).toEqual({ is: 'ahead', waitingFor: { kind: 'window' } })
    expect(place({ flow: 'paused' })).toMatchObject({ is: 'ahead', waitingFor: { kind: 'paused' } })
    expect(place({ cursor: id })).toEqual({ is: 'past' })
    expect(place({ state: 'fanned_out' })).toEqual({ is: 'past' })
  })

  test('when a send was cancelled or failed before the fan-out came to a device, explain says so', () => {
    expect(place({ flow: 'cancelled', state: 'fanned_out' })).toEqual({ is: 'passed' })
    expect(place({ flow: 'cancelled', state: 'fanned_out', cursor: id })).toEqual({ is: 'past' })
    expect(place({ state: 'failed' })).toEqual({ is: 'passed' })
    expect(place({ flow: 'cancelled', state: 'fanned_out', boundId: '', cursor: '' })).toEqual({ is: 'past' })
  })

  test('a push waits for its user’s time zone’s wave, and for the last one when that is over', () => {
    expect(place({ state: 'between_waves', cursor: '' }, { waves, own: 0 })).toMatchObject({
      waitingFor: { kind: 'wave', at: waves[0]!.at, wave: 1, of: 2 },
    })
    expect(place({ cursor: '' }, { waves, own: 1 })).toMatchObject({ waitingFor: { kind: 'wave', at: waves[1]!.at, wave: 2 } })
    expect(place({ cursor: id }, { waves, own: 0 })).toMatchObject({ waitingFor: { kind: 'wave', at: waves[1]!.at, wave: 2 } })
    expect(place({ wave: 1, cursor: '' }, { waves, own: 0 })).toMatchObject({ waitingFor: { kind: 'fan_out' } })
    expect(place({ wave: 1, cursor: id }, { waves, own: 0 })).toEqual({ is: 'past' })
  })
})

const batch: OpenPlace = {
  ...{ no: 7, queuedFor: 'a'.repeat(24), notBefore: null, turnAt: null, perMinute: null, tries: 0, leaseUntil: null, isLeased: false },
  ...{ code: null, providerCode: null, trail: null, isDecided: false },
}
const circuit = {
  ...{ kind: 'circuit' as const, platform: 'ios' as const, environment: 'production', code: 'credentials_invalid' as const },
  ...{ since: now.toISOString(), probeAt: now.toISOString(), at: null },
}

// spec: administration/explain-waiting
test.each([
  ['a dispatcher has taken', { isLeased: true, leaseUntil: now }, {}, 'in_flight', { kind: 'provider', at: now.toISOString() }],
  ['no dispatcher has taken', {}, {}, 'in_flight', { kind: 'window' }],
  ['belongs to a paused send', {}, { flow: 'paused' as const }, 'waiting', { kind: 'paused' }],
  ['an open circuit holds', {}, { circuit }, 'held', { kind: 'circuit', code: 'credentials_invalid' }],
  [
    'waits for the turn of its send, which has a rate',
    { perMinute: 600, notBefore: new Date(now.getTime() + 1_000) },
    {},
    'waiting',
    { kind: 'rate', at: new Date(now.getTime() + 1_000).toISOString(), perMinute: 600 },
  ],
  [
    'is tried again after an answer',
    { notBefore: now, tries: 1, code: 'timeout' },
    {},
    'retrying',
    { kind: 'retry', at: now.toISOString(), code: 'timeout' },
  ],
  [
    'waits for the turn of its credentials',
    { turnAt: new Date(now.getTime() + 1_000) },
    {},
    'waiting',
    { kind: 'quota', at: new Date(now.getTime() + 1_000).toISOString() },
  ],
  ['has had its turn', { turnAt: now }, {}, 'in_flight', { kind: 'window' }],
  ['came back without a try', { notBefore: now }, {}, 'in_flight', { kind: 'window' }],
  ['has the outcomes of all its pushes', { isDecided: true }, { circuit }, 'in_flight', { kind: 'window' }],
] as const)('explain says what the pushes of a batch that %s wait for', (_what, change, around, verdict, waitingFor) => {
  const push = placeInBatch({ ...batch, ...change }, { flow: 'running', circuit: null, now, ...around })
  expect(push).toMatchObject({ is: 'open', no: 7, verdict, waitingFor })
})
