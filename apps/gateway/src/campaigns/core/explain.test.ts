import type { ExplainedDevice } from '@herald/contracts/calls/audience'
import type { ExplainedPush } from '@herald/contracts/calls/tracker'
import type { ExplainedStep } from '@herald/contracts/explain'
import { describe, expect, test } from 'vitest'
import { traceOf, type SendOfTrace } from './explain.ts'

const id = (letter: string) => letter.repeat(24)
const [device, owner, other, campaignId] = [id('a'), id('b'), id('c'), id('d')]
const at = '2026-03-01T10:00:00.000Z'

const send: SendOfTrace = {
  status: 'sent',
  cancelled: false,
  failure: null,
  nextAt: null,
  pause: null,
  inbox: false,
  startedAt: at,
  definition: null,
  forgottenBy: null,
  isPast: false,
}
const there: ExplainedStep = { step: 'device', result: 'pass', basis: 'frozen', createdAt: at, inBounds: true, deleted: false }
const reachable: ExplainedStep = {
  ...{ step: 'reachable', result: 'pass', basis: 'now', optedIn: true, optedOutAt: null },
  ...{ invalidatedAt: null, invalidatedBy: null, registeredAt: at },
}
const optedOut: ExplainedStep = { ...reachable, result: 'stop', optedIn: false, optedOutAt: at }
const cap: ExplainedStep = {
  ...{ step: 'frequency_cap', result: 'stop', basis: 'now', max: 1, windowSeconds: 60 },
  counted: [
    { campaignId: id('e'), at: '2026-03-01T10:00:30.000Z' },
    { campaignId, at },
  ],
}
const quiet: ExplainedStep = {
  ...{ step: 'quiet_hours', result: 'stop', basis: 'now', start: '22:00', end: '06:00', zone: 'Asia/Tokyo', until: at },
}
const tooLate: ExplainedStep = {
  ...{ step: 'wave', result: 'stop', basis: 'now', zone: 'Asia/Tokyo', zoneKnown: true, at, wave: 1, of: 2, expired: true },
}
const known = (steps: ExplainedStep[], push: ExplainedDevice['push'] = { is: 'past' }): ExplainedDevice => ({
  subscriptionId: device,
  platform: 'ios',
  owner: { id: owner, externalId: null },
  steps,
  push,
})
const gone: ExplainedDevice = {
  ...known([{ step: 'device', result: 'info', basis: 'now', createdAt: null, inBounds: null, deleted: true }]),
  ...{ platform: null, owner: null },
}
const push = (end: Partial<NonNullable<ExplainedPush['end']>> | null, change: Partial<ExplainedPush> = {}): ExplainedPush => ({
  ...{ subscriptionId: device, userId: owner, platform: 'ios', no: 1, trail: [], reports: [] },
  end: end && { outcome: 'sent', code: '', providerCode: '', attempts: 1, at, ...end },
  ...change,
})
const skipped = (code: string) => push({ outcome: 'skipped', code, attempts: 0 })
const stops = ({ steps }: { steps: ExplainedStep[] }) => steps.filter(({ result }) => result === 'stop').map(({ step }) => step)

// spec: administration/explain-steps, administration/explain-certainty
describe('explain for a device whose push was made', () => {
  test.each([
    ['opted_out', known([there, optedOut]), ['reachable', 'outcome'], 'opted out at 2026'],
    ['deleted', gone, ['device', 'outcome'], 'deleted'],
    ['owner_changed', { ...known([there, reachable]), owner: { id: other, externalId: null } }, ['owner', 'outcome'], 'another user'],
    ['frequency_cap', known([there, reachable, cap]), ['frequency_cap', 'outcome'], '1 in 1 min'],
    ['quiet_hours', known([there, reachable, quiet]), ['quiet_hours', 'outcome'], '22:00 to 06:00 in Asia/Tokyo'],
    ['expired', known([there, reachable]), ['outcome'], 'time to live'],
    ['expired', known([there, reachable, tooLate]), ['wave', 'outcome'], 'had passed in Asia/Tokyo'],
    ['cancelled', known([there, optedOut]), ['outcome'], 'cancelled'],
    ['silent_web', known([there, reachable]), ['outcome'], 'silent'],
  ] as const)('explain of a push skipped as %s marks only the outcome and that reason’s step as stops', (code, facts, expected, words) => {
    const trace = traceOf(send, facts, skipped(code))
    expect(trace).toMatchObject({ verdict: 'skipped', certainty: 'recorded', waitingFor: null })
    expect(stops(trace)).toEqual(expected)
    expect(trace.sentence).toContain(words)
  })

  // spec: administration/explain-steps
  test('behind the step that stopped a push explain shows recorded steps alone, nothing from today’s values', () => {
    const message: ExplainedStep = {
      ...{ step: 'message', result: 'info', basis: 'now', locale: 'en', fallback: false, bytes: 8, limit: 4096, truncated: false },
      dropped: [],
    }
    const moved = { ...known([there, reachable, cap, quiet, message]), owner: { id: other, externalId: null } }
    expect(traceOf(send, moved, skipped('owner_changed')).steps.map(({ step }) => step)).toEqual([
      ...['device', 'reachable', 'owner', 'page', 'outcome'],
    ])
    expect(traceOf(send, known([there, reachable, cap, quiet, message]), skipped('frequency_cap')).steps.map(({ step }) => step)).toEqual([
      ...['device', 'reachable', 'owner', 'frequency_cap', 'page', 'outcome'],
    ])
  })

  test('explain goes by the ledger when a push has an outcome, whatever today’s values say', () => {
    const trace = traceOf(send, known([there, optedOut, cap]), push({}, { reports: [{ kind: 'opened', at }] }))
    expect(trace).toMatchObject({ verdict: 'sent', certainty: 'recorded' })
    expect(stops(trace)).toEqual([])
    expect(trace.steps.at(-1)).toMatchObject({ step: 'reports', reports: [{ kind: 'opened' }] })
  })

  test('explain shows for the frequency cap no send that was counted after the outcome of the push', () => {
    const trace = traceOf(send, known([there, reachable, cap]), skipped('frequency_cap'))
    expect(trace.steps.find(({ step }) => step === 'frequency_cap')).toMatchObject({ counted: [{ campaignId, at }] })
  })

  test('explain shows one answer of the provider for each attempt', () => {
    const trail = [{ at, code: 'timeout' as const, providerCode: '' }]
    const attempts = (of: ExplainedPush) => {
      const step = traceOf(send, known([there]), of).steps.find((one) => one.step === 'attempts')
      return step?.step === 'attempts' ? step.attempts.map(({ n, code }) => [n, code]) : []
    }
    expect(attempts(push({ attempts: 2 }, { trail }))).toEqual([
      [1, 'timeout'],
      [2, null],
    ])
    expect(attempts(push({ outcome: 'skipped', code: 'expired', attempts: 1 }, { trail }))).toEqual([[1, 'timeout']])
    expect(attempts(skipped('cancelled'))).toEqual([])
  })

  test('explain says that a push without an outcome waits for what its batch waits for, or for its turn', () => {
    const waitingFor = { kind: 'paused', since: null, at: null } as const
    const open: ExplainedDevice['push'] = { is: 'open', verdict: 'waiting', waitingFor, queuedFor: owner, no: 1, trail: [] }
    const pause = { since: at, until: '2026-03-31T10:00:00.000Z' }
    const trace = traceOf({ ...send, status: 'paused', pause }, known([there, optedOut], open), push(null))
    expect(trace).toMatchObject({ verdict: 'waiting', certainty: 'recorded', waitingFor: { kind: 'paused', since: at, at: pause.until } })
    expect(stops(trace)).toEqual([])
    expect(traceOf(send, known([there]), push(null))).toMatchObject({ verdict: 'in_flight', waitingFor: { kind: 'window' } })
  })
})

// spec: administration/explain-certainty
describe('explain for a device without a push', () => {
  test('explain ends with the step that stopped the device; it is `derived` from frozen facts, else `likely`', () => {
    const late: ExplainedStep = { ...there, result: 'stop', inBounds: false }
    expect(traceOf(send, known([late, optedOut]), undefined)).toMatchObject({ verdict: 'not_queued', certainty: 'derived', steps: [late] })
    expect(traceOf(send, known([there, optedOut, cap]), undefined)).toMatchObject({ certainty: 'likely', steps: [there, optedOut] })
  })

  test('explain says that a send was cancelled or failed before it came to the device', () => {
    const cancelled = traceOf({ ...send, status: 'cancelled', cancelled: true }, known([there, reachable], { is: 'passed' }), undefined)
    expect(cancelled).toMatchObject({ verdict: 'not_queued', certainty: 'derived', sentence: expect.stringContaining('cancelled') })
    const failed = traceOf({ ...send, status: 'failed', failure: 'No app.' }, known([there, reachable], { is: 'nowhere' }), undefined)
    expect(failed).toMatchObject({ verdict: 'not_queued', sentence: expect.stringContaining('No app.') })
  })

  test('when today’s values would queue a push, explain says that the device was not meant or reachable then', () => {
    const trace = traceOf(send, known([there, reachable]), undefined)
    expect(trace).toMatchObject({ verdict: 'not_queued', certainty: 'likely' })
    expect(stops(trace)).toEqual(['page'])
    expect(trace.sentence).toContain('it was not meant or not reachable')
    const forgotten = traceOf({ ...send, forgottenBy: 'subscriptionIds' }, known([there, reachable]), undefined)
    expect(forgotten.sentence).toContain('named users or devices')
    expect(forgotten.steps.at(-1)).toMatchObject({ step: 'target', result: 'stop', kind: 'subscriptionIds', listed: false })
  })

  test('past the ledger’s retention, explain goes by today’s values: a push that they queue is `likely` sent', () => {
    const trace = traceOf({ ...send, isPast: true }, known([there, reachable]), undefined)
    expect(trace).toMatchObject({ verdict: 'sent', certainty: 'likely' })
    expect(trace.steps.at(-1)).toMatchObject({ step: 'outcome', outcome: 'past_retention' })
    expect(traceOf({ ...send, isPast: true }, known([there, optedOut]), undefined).verdict).toBe('not_queued')
  })
})

// spec: administration/explain-waiting
test.each([
  ['draft', { kind: 'schedule', at: null }],
  ['scheduled', { kind: 'schedule', at }],
  ['active', { kind: 'schedule', at }],
  ['sending', { kind: 'fan_out', scanned: 0, of: null }],
] as const)('explain says that a device which matches waits for a campaign that is %s', (status, waitingFor) => {
  const nextAt = status === 'draft' ? null : at
  const trace = traceOf({ ...send, status, nextAt }, known([there, reachable, cap], { is: 'nowhere' }), undefined)
  expect(trace).toMatchObject({ verdict: 'waiting', certainty: 'likely', waitingFor })
  expect(trace.sentence).toContain('would be skipped now, by frequency cap')
  expect(traceOf({ ...send, status, nextAt }, known([there, optedOut], { is: 'nowhere' }), undefined).verdict).toBe('not_queued')
})

// spec: administration/explain-waiting, inbox/opted-out, tracking/first-reason
test('explain says of an opted-out device that an inbox reaches it, and by which reason its push would be skipped', () => {
  const draft = { ...send, status: 'draft' as const, inbox: true }
  const held: ExplainedStep = { step: 'holdout', result: 'stop', basis: 'now', heldOut: true, percent: 10 }
  const would = (steps: ExplainedStep[]) => traceOf(draft, known(steps, { is: 'nowhere' }), undefined)
  const out = would([there, optedOut, cap])
  expect([out.verdict, stops(out), out.sentence]).toEqual(['waiting', ['reachable'], expect.stringContaining('by reachable')])
  const control = would([there, optedOut, held])
  expect([control.verdict, stops(control), control.sentence]).toEqual(['waiting', ['holdout'], expect.stringContaining('by holdout')])
  const dead: ExplainedStep = { ...optedOut, invalidatedAt: at }
  expect(would([there, dead]).verdict).toBe('not_queued')
})

// spec: administration/explain-steps
test.each([
  [
    { and: [leaf('tags.plan', 'eq', 'pro')] },
    [['segment.and.0', 'tags.plan', 'eq', 'pro', 'free', false]],
    'tags.plan is free (the segment wants pro).',
  ],
  [
    { not: leaf('language', 'eq', 'de') },
    [['segment.not', 'language', 'eq', 'de', 'de', true]],
    'language is de (the segment excludes de).',
  ],
  [
    { and: [{ or: [leaf('tags.a', 'eq', 1), leaf('tags.b', 'eq', 2)] }, leaf('tags.c', 'eq', 3)] },
    [
      ['segment.and.0.or.0', 'tags.a', 'eq', 1, 9, false],
      ['segment.and.0.or.1', 'tags.b', 'eq', 2, 2, true],
      ['segment.and.1', 'tags.c', 'eq', 3, 4, false],
    ],
    'tags.c is 4 (the segment wants 3).',
  ],
  [leaf('tags.n', 'gte', 3), [['segment', 'tags.n', 'gte', 3, null, false]], 'tags.n is not set (the segment wants at least 3).'],
] as const)('explain names the condition of a segment that kept the device out: example %#', (definition, leaves, words) => {
  const segment: ExplainedStep = {
    ...{ step: 'segment', result: 'stop', basis: 'now', changedSince: false },
    leaves: leaves.map(([path, field, op, wanted, actual, matched]) => ({ path, field, op, wanted, actual, matched })),
  }
  const trace = traceOf({ ...send, definition }, known([there, reachable, segment]), undefined)
  expect(trace.sentence).toBe(`Not in the segment: ${words}`)
})

function leaf(field: string, op: string, value: unknown) {
  return { field, op, value }
}
