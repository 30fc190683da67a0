import type { ExplainedStep, StepOf, Trace } from '@herald/contracts/explain'
import { expect, test } from 'vitest'
import { remedyOfCode, firstOpen, stationsOf, ticketOf } from './explain-stations.ts'
import type { StationName } from './explain-facts.ts'
import { stationNames } from './explain-facts.ts'

const id = '0'.repeat(24)
const at = '2026-01-12T09:00:00.000Z'
const recorded = { basis: 'recorded' } as const
const now = { basis: 'now' } as const

const device: StepOf<'device'> = { step: 'device', result: 'pass', basis: 'frozen', createdAt: at, inBounds: true, deleted: false }
const reachable: StepOf<'reachable'> = {
  step: 'reachable',
  result: 'pass',
  ...now,
  optedIn: true,
  optedOutAt: null,
  invalidatedAt: null,
  invalidatedBy: null,
  registeredAt: at,
}
const owner: StepOf<'owner'> = { step: 'owner', result: 'pass', ...recorded, queuedFor: id, ownerNow: id }
const leaf = { path: 'segment.and.0', field: 'tags.plan', op: 'eq', wanted: 'pro', actual: 'free', matched: false }
const segment: StepOf<'segment'> = { step: 'segment', result: 'pass', ...now, changedSince: false, leaves: [{ ...leaf, matched: true }] }
const message: StepOf<'message'> = {
  step: 'message',
  result: 'info',
  ...now,
  locale: 'en',
  fallback: false,
  bytes: 812,
  limit: 4096,
  truncated: false,
  dropped: [],
}
const cap: StepOf<'frequency_cap'> = {
  step: 'frequency_cap',
  result: 'info',
  ...now,
  max: 1,
  windowSeconds: 86_400,
  counted: [{ campaignId: id, at }],
}
const page: StepOf<'page'> = { step: 'page', result: 'pass', ...recorded, cut: true }
const end = (outcome: 'sent' | 'failed' | 'skipped', code: string | null, providerCode: string | null = null): ExplainedStep => {
  return {
    step: 'outcome',
    result: outcome === 'sent' ? 'pass' : 'stop',
    ...recorded,
    outcome,
    code,
    providerCode,
    attempts: 1,
    settledAt: at,
  }
}
const batch: StepOf<'batch'> = {
  step: 'batch',
  result: 'wait',
  ...recorded,
  queuedAt: at,
  lane: 'bulk',
  notBefore: null,
  tries: 0,
  leasedUntil: null,
  circuit: { code: 'credentials_invalid', since: at, probeAt: at },
}

const trace = (verdict: Trace['verdict'], steps: ExplainedStep[], waitingFor: Trace['waitingFor'] = null): Trace => {
  return { subscriptionId: id, platform: 'ios', verdict, certainty: 'recorded', sentence: 'So it was.', waitingFor, steps }
}
const resultsOf = (one: Trace) =>
  Object.fromEntries(stationsOf(one).map(({ name, result }) => [name, result])) as Record<StationName, string>
const queued = [device, reachable, owner, segment, page]

// spec: dashboard/explain-stations
test.each<[what: string, one: Trace, open: StationName, result: string]>([
  [
    'a condition of the segment that is false',
    trace('not_queued', [device, reachable, { ...segment, result: 'stop', leaves: [leaf] }]),
    'audience',
    'stop',
  ],
  [
    'a device that has another owner than when its push was queued',
    trace('skipped', [device, reachable, { ...owner, result: 'stop', ownerNow: null }, page, message, end('skipped', 'owner_changed')]),
    'audience',
    'stop',
  ],
  [
    'a device that is opted out',
    trace('not_queued', [device, { ...reachable, result: 'stop', optedIn: false, optedOutAt: at }]),
    'reachable',
    'stop',
  ],
  [
    'a device that is invalidated',
    trace('skipped', [device, { ...reachable, result: 'stop', invalidatedAt: at }, owner, page, message, end('skipped', 'invalidated')]),
    'reachable',
    'stop',
  ],
  [
    'a frequency cap',
    trace('skipped', [...queued, { ...cap, result: 'stop', ...recorded }, message, end('skipped', 'frequency_cap')]),
    'cap',
    'stop',
  ],
  [
    'quiet hours, of which the trace has no step',
    trace('skipped', [...queued, message, end('skipped', 'quiet_hours')]),
    'quiet_hours',
    'stop',
  ],
  [
    'a text that is empty',
    trace('skipped', [...queued, { ...message, result: 'stop', bytes: null }, end('skipped', 'empty_content')]),
    'render',
    'stop',
  ],
  ['a push that is too large', trace('failed', [...queued, message, end('failed', 'payload_too_large', '413')]), 'size', 'stop'],
  ['a circuit that is open', trace('held', [...queued, batch, message]), 'provider', 'wait'],
  [
    'a provider that refused the token',
    trace('failed', [...queued, message, end('failed', 'token_dead', '410 Unregistered')]),
    'provider',
    'stop',
  ],
  [
    'a push that the provider took, without a report of the device',
    trace('sent', [...queued, message, end('sent', null)]),
    'provider',
    'pass',
  ],
])('%s: the step that decided is open, and no other step is red', (_what, one, open, result) => {
  const stations = stationsOf(one)
  expect(stations.map(({ name }) => name)).toEqual([...stationNames])
  expect(firstOpen(stations)).toBe(open)
  expect(stations.find(({ name }) => name === open)?.result).toBe(result)
  expect(stations.filter((station) => station.result === 'stop' && station.name !== open)).toEqual([])
})

// spec: dashboard/explain-stations
test("no step of a sent push is red when its text would be empty with the user's present values", () => {
  const results = resultsOf(trace('sent', [...queued, { ...message, result: 'stop', bytes: null }, end('sent', null)]))
  expect(results.render).toBe('info')
  expect(results.provider).toBe('pass')
})

test('a push that would be too large now is shown red at the step "Size" and not at "Text"', () => {
  const results = resultsOf(trace('waiting', [device, reachable, segment, { ...message, result: 'stop', bytes: 5000, truncated: true }]))
  expect([results.render, results.size]).toEqual(['pass', 'stop'])
})

// spec: dashboard/explain-clocks
test('facts recorded or frozen are shown as of the send’s time, facts read now as present', () => {
  const facts = stationsOf(trace('sent', [device, reachable, { ...owner, ownerNow: null }, page, end('sent', null)])).flatMap(
    (station) => station.facts,
  )
  const clockOf = (label: string) => facts.filter((fact) => fact.label === label).map(({ clock }) => clock)
  expect(clockOf('First registered')).toEqual(['then'])
  expect(clockOf('Opted in')).toEqual(['now'])
  expect(clockOf('Queued for user')).toEqual(['then'])
  expect(clockOf('Ended')).toEqual(['then'])
})

// spec: dashboard/explain-never
test('a device that was imported and never registered has registered "never", not in 1970', () => {
  const facts = stationsOf(trace('not_queued', [device, { ...reachable, registeredAt: '1970-01-01T00:00:00.000Z' }])).flatMap(
    (station) => station.facts,
  )
  expect(facts.find(({ label }) => label === 'Last registered')).toMatchObject({ value: 'never', kind: 'text' })
})

test('no step after the one that stopped the push is shown as passed', () => {
  const stations = stationsOf(trace('not_queued', [device, { ...reachable, result: 'stop', optedIn: false }]))
  expect(stations.slice(2).map(({ result }) => result)).toEqual(Array(7).fill('none'))
  expect(stations.find(({ name }) => name === 'cap')?.summary).toBe('Not reached.')
  expect(stations.find(({ name }) => name === 'provider')?.summary).toBe('It was never handed to the provider.')
})

test('a device without reports is shown as having reported nothing, not as failed', () => {
  const [silent, heard] = [
    trace('sent', [...queued, end('sent', null)]),
    trace('sent', [...queued, end('sent', null), { step: 'reports', result: 'info', ...recorded, reports: [{ kind: 'opened', at }] }]),
  ]
  expect(stationsOf(silent).at(-1)).toMatchObject({ result: 'info', summary: expect.stringContaining('has reported nothing') })
  expect(stationsOf(heard).at(-1)).toMatchObject({ result: 'pass', summary: 'The device reported: opened.' })
})

test('a push that waits for its wave is shown as waiting at the step "Send time and quiet hours"', () => {
  const wave = {
    step: 'wave',
    result: 'wait',
    basis: 'frozen',
    zone: 'Asia/Tokyo',
    zoneKnown: true,
    at,
    wave: 2,
    of: 5,
    expired: false,
  } as const
  const stations = stationsOf(trace('waiting', [device, reachable, segment, wave]))
  expect(stations.find(({ name }) => name === 'quiet_hours')).toMatchObject({ label: 'Send time and quiet hours', result: 'wait' })
})

test('a push skipped because the date had passed in its zone shows as ended at the wave, with that reason', () => {
  const wave = {
    ...recorded,
    step: 'wave',
    result: 'stop',
    zone: 'Asia/Tokyo',
    zoneKnown: true,
    at,
    wave: 1,
    of: 5,
    expired: true,
  } as const
  const stations = stationsOf(trace('skipped', [device, reachable, segment, wave, page, end('skipped', 'expired')]))
  expect(stations.filter(({ result }) => result === 'stop')).toMatchObject([
    { name: 'quiet_hours', summary: 'The date and time of the send had passed in Asia/Tokyo when it was sent.' },
  ])
})

test('the ticket’s sentence names the device, user, campaign, verdict, its certainty and the time', () => {
  expect(ticketOf(trace('sent', []), { campaignId: id, campaign: 'Spring', externalId: 'customer-7', lookedAt: at })).toBe(
    `Device ${id} (ios) of user customer-7, campaign “Spring” ${id}: So it was. (sent, recorded, as of ${at})`,
  )
})

test('a closed step shows the line of the fact that decided', () => {
  const summaryOf = (one: Trace, name: StationName) => stationsOf(one).find((station) => station.name === name)?.summary
  expect(summaryOf(trace('failed', [...queued, message, end('failed', 'token_dead', '410 Unregistered')]), 'provider')).toBe(
    'Failed: token_dead (410 Unregistered).',
  )
  expect(
    summaryOf(
      trace('skipped', [device, reachable, { ...owner, result: 'stop', ownerNow: null }, page, end('skipped', 'owner_changed')]),
      'audience',
    ),
  ).toBe('Another user logged in on this device after the push was queued.')
  expect(summaryOf(trace('held', [...queued, batch, message]), 'provider')).toBe(
    'On hold: the provider accepts no pushes now (credentials_invalid).',
  )
  expect(summaryOf(trace('sent', [...queued, end('sent', null)]), 'provider')).toBe('Accepted by the provider.')
  expect(summaryOf(trace('sent', [device, reachable, { ...segment, result: 'info', leaves: [leaf] }, end('sent', null)]), 'audience')).toBe(
    'It was in the segment at send time and no longer is.',
  )
})

test('for a failed or held push the page says what to do about its code, for a sent one nothing', () => {
  const failed = trace('failed', [...queued, message, end('failed', 'credentials_invalid', '403 InvalidProviderToken')])
  const station = (one: Trace) => stationsOf(one).find(({ name }) => name === 'provider')
  const attempts = [{ n: 1, at, code: 'credentials_invalid', providerCode: '403 InvalidProviderToken' }]
  expect(remedyOfCode(station(failed)?.facts ?? [], attempts, 'ios')).toContain('team id and key id')
  expect(remedyOfCode(station(trace('held', [...queued, batch]))?.facts ?? [], [], 'ios')).toContain('credentials in order')
  expect(remedyOfCode(station(trace('sent', [...queued, end('sent', null)]))?.facts ?? [], [], 'ios')).toBeNull()
})
