import { expect, test } from 'vitest'
import { CreateCampaign } from './campaign.ts'
import { Fault } from './fault.ts'
import { parseBody } from './validate.ts'

const content = { _default: 'en', en: { title: 'A', body: 'B' } }
const campaign = { name: 'Autumn', content }
const recurring = { type: 'recurring', every: 'week', localTime: '09:00', timezone: 'Europe/Berlin' }
const variant = (id: string, fields: object = {}) => ({ id, name: 'Text', content, ...fields })
const experiment = { sampleRate: 0.2, variants: [variant('a'), variant('b')] }

function wrong(body: object): string[] {
  try {
    parseBody(CreateCampaign, body)
    return []
  } catch (error) {
    if (!Fault.is(error)) throw error
    return (error.details ?? []).map(({ path }) => `${error.code === 'invalid_body' ? '' : `${error.code} `}${path}`)
  }
}
const wrongSchedule = (schedule: object) => wrong({ ...campaign, schedule })
const wrongExperiment = (fields: object) => wrong({ ...campaign, experiment: { ...experiment, ...fields } })

// spec: campaigns/schedule-forms
test('a campaign without a schedule gets the schedule to be sent at once', () => {
  expect(parseBody(CreateCampaign, campaign)).toEqual({ ...campaign, schedule: { type: 'now' } })
})

// spec: campaigns/fields
test('the name of a campaign is required, has at most 200 characters and is not only white space', () => {
  expect(wrong({ content })).toEqual(['name'])
  for (const name of ['', '  ', 'x'.repeat(201), 7]) expect(wrong({ content, name })).toEqual(['name'])
  expect(wrong({ content, name: 'x'.repeat(200) })).toEqual([])
})

// spec: experiments/content, sending/content-required
test('content is required unless a template or silent is given, also in experiments, with its default locale’s text', () => {
  expect(wrong({ name: 'A' })).toEqual(['content'])
  expect(wrong({ name: 'A', experiment })).toEqual(['content'])
  expect(wrong({ name: 'A', templateId: 'a'.repeat(24) })).toEqual([])
  expect(wrong({ name: 'A', silent: true })).toEqual([])
  expect(wrong({ name: 'A', content: { _default: 'de', en: content.en } })).toEqual(['content._default'])
})

// spec: campaigns/audience
test('a campaign may not have segment and segmentId; a senseless segment is invalid_segment with its path', () => {
  expect(wrong({ ...campaign, segment: {}, segmentId: 'a'.repeat(24) })).toEqual(['segmentId'])
  expect(wrong({ ...campaign, segment: {} })).toEqual([])
  expect(wrong({ ...campaign, segment: { and: [{ field: 'country', op: 'like', value: 'DE' }] } })).toEqual([
    'invalid_segment segment.and.0.op',
  ])
})

// spec: limits/strict
test('unknown fields are refused in a campaign, in its schedule and in its experiment', () => {
  expect(wrong({ ...campaign, target: { all: true } })).toEqual(['target'])
  expect(wrongSchedule({ type: 'now', at: '2026-12-01T08:00:00Z' })).toEqual(['schedule.at'])
  expect(wrongExperiment({ winner: 'a' })).toEqual(['experiment.winner'])
})

// spec: campaigns/schedule-forms
test('a schedule is one of four forms', () => {
  for (const schedule of [
    { type: 'now' },
    { type: 'at', at: '2026-12-01T08:00:00+01:00' },
    { type: 'user_timezone', localTime: '00:00' },
    recurring,
    { ...recurring, every: 'day', daysOfWeek: [0, 6], until: '2027-01-01T00:00:00Z' },
  ])
    expect(wrongSchedule(schedule)).toEqual([])
  expect(wrongSchedule({ type: 'cron' })).toEqual(['schedule.type'])
  expect(wrongSchedule({ type: 'at' })).toEqual(['schedule.at'])
  expect(wrongSchedule({ type: 'user_timezone' })).toEqual(['schedule.localTime'])
})

// spec: campaigns/local-date
test('a send at users’ local time may have a date, and how late it may still go out', () => {
  const onDate = { type: 'user_timezone', localTime: '09:00', date: '2026-12-04' }
  for (const change of [{}, { date: '2028-02-29' }, { lateMinutes: 0 }, { lateMinutes: 1440 }])
    expect(wrongSchedule({ ...onDate, ...change })).toEqual([])
  for (const date of ['2026-02-29', '2026-13-01', '2026-12-32', '2026-12-4', '04.12.2026', '2026-12-04T09:00:00Z', '', 20261204])
    expect(wrongSchedule({ ...onDate, date })).toEqual(['schedule.date'])
  for (const lateMinutes of [-1, 1441, 1.5, '60', null]) expect(wrongSchedule({ ...onDate, lateMinutes })).toEqual(['schedule.lateMinutes'])
  expect(wrongSchedule({ type: 'user_timezone', localTime: '09:00', lateMinutes: 60 })).toEqual(['schedule.lateMinutes'])
  expect(wrongSchedule({ type: 'at', at: '2026-12-01T08:00:00Z', date: '2026-12-04' })).toEqual(['schedule.date'])
})

// spec: campaigns/local-time, campaigns/recurring-days
test('a time, a zone or a weekday of a schedule in a wrong form is refused', () => {
  for (const at of ['tomorrow', '2026-12-01', '2026-12-01T08:00:00', '2026-02-30T08:00:00Z'])
    expect(wrongSchedule({ type: 'at', at })).toEqual(['schedule.at'])
  for (const localTime of ['9:00', '24:00', '09:60', '09:00:00', '']) {
    expect(wrongSchedule({ type: 'user_timezone', localTime })).toEqual(['schedule.localTime'])
  }
  for (const daysOfWeek of [[], [1, 1]]) expect(wrongSchedule({ ...recurring, daysOfWeek })).toEqual(['schedule.daysOfWeek'])
  for (const day of [7, -1, 1.5, '1']) expect(wrongSchedule({ ...recurring, daysOfWeek: [day] })).toEqual(['schedule.daysOfWeek.0'])
  for (const timezone of ['Berlin', '+02:00', '', 'Europe/Nowhere'])
    expect(wrongSchedule({ ...recurring, timezone })).toEqual(['schedule.timezone'])
  expect(wrongSchedule({ ...recurring, every: 'year' })).toEqual(['schedule.every'])
  expect(wrongSchedule({ ...recurring, until: 'never' })).toEqual(['schedule.until'])
})

// spec: campaigns/recurring-month, campaigns/recurring-interval, campaigns/recurring-except, campaigns/recurring-max-runs
test('a monthly recurrence names days or a weekday; interval, start, excepted dates and runs are bounded', () => {
  const monthly = { ...recurring, every: 'month' }
  const dates = Array.from({ length: 101 }, () => '2026-12-24')
  for (const change of [
    {},
    { daysOfMonth: [1, 15, 31, -1, 1], interval: 12, startDate: '2024-02-29', except: dates.slice(1), maxRuns: 10_000 },
    { nthWeekday: { nth: -1, day: 0 } },
    { nthWeekday: { nth: 5, day: 6 }, except: [] },
  ])
    expect(wrongSchedule({ ...monthly, ...change })).toEqual([])
  for (const [change, path] of [
    [{ daysOfWeek: [1] }, 'daysOfWeek'],
    [{ daysOfMonth: [] }, 'daysOfMonth'],
    [{ daysOfMonth: [0] }, 'daysOfMonth.0'],
    [{ daysOfMonth: [1, 32] }, 'daysOfMonth.1'],
    [{ daysOfMonth: [1], nthWeekday: { nth: 1, day: 1 } }, 'nthWeekday'],
    [{ nthWeekday: { nth: 0, day: 1 } }, 'nthWeekday.nth'],
    [{ nthWeekday: { nth: 1, day: 7 } }, 'nthWeekday.day'],
    [{ interval: 0 }, 'interval'],
    [{ interval: 13 }, 'interval'],
    [{ startDate: '2026-02-29' }, 'startDate'],
    [{ except: dates }, 'except'],
    [{ except: ['2026-12-24', 'Christmas'] }, 'except.1'],
    [{ maxRuns: 0 }, 'maxRuns'],
    [{ maxRuns: 10_001 }, 'maxRuns'],
    [{ every: 'week', daysOfMonth: [1] }, 'daysOfMonth'],
    [{ every: 'day', nthWeekday: { nth: 1, day: 1 } }, 'nthWeekday'],
  ] as const)
    expect(wrongSchedule({ ...monthly, ...change })).toEqual([`schedule.${path}`])
})

// spec: experiments/form, experiments/variant-id
test('an experiment has 2 to 4 variants with unique ids, weights above 0 up to 1,000, and complete content', () => {
  expect(wrong({ ...campaign, experiment })).toEqual([])
  const many = ['a', 'b', 'c', 'd', 'e'].map((id) => variant(id))
  expect(wrongExperiment({ variants: many.slice(0, 4) })).toEqual([])
  for (const variants of [[], many.slice(0, 1), many]) expect(wrongExperiment({ variants })).toEqual(['experiment.variants'])
  expect(wrongExperiment({ variants: [variant('a'), variant('a')] })).toEqual(['experiment.variants.1.id'])
  for (const id of ['', 'a b', 'x'.repeat(33)])
    expect(wrongExperiment({ variants: [variant('a'), variant(id)] })).toEqual(['experiment.variants.1.id'])
  for (const weight of [0, -1, 1000.1, '1'])
    expect(wrongExperiment({ variants: [variant('a'), variant('b', { weight })] })).toEqual(['experiment.variants.1.weight'])
  const halfContent = { _default: 'en', en: { title: 'A' } }
  expect(wrongExperiment({ variants: [variant('a'), variant('b', { content: halfContent })] })).toEqual([
    'experiment.variants.1.content.en.body',
  ])
})

// spec: experiments/weight
test('a variant without a weight has the weight 1', () => {
  const parsed = parseBody(CreateCampaign, {
    ...campaign,
    experiment: { ...experiment, variants: [variant('a', { weight: 1000 }), variant('b')] },
  })
  expect(parsed.experiment?.variants.map(({ weight }) => weight)).toEqual([1000, 1])
})

// spec: experiments/sample-rate
test('the sample of an experiment is 1 to 100 % of the users', () => {
  for (const sampleRate of [0.01, 1]) expect(wrongExperiment({ sampleRate })).toEqual([])
  for (const sampleRate of [0, 0.009, 1.01, '0.5']) expect(wrongExperiment({ sampleRate })).toEqual(['experiment.sampleRate'])
})

// spec: experiments/not-silent
test('an experiment is not allowed together with silent', () => {
  expect(wrong({ ...campaign, experiment, silent: true })).toEqual(['experiment'])
  expect(wrong({ ...campaign, experiment, silent: false })).toEqual([])
})
