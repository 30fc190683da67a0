import { expect, test } from 'vitest'
import { byDate, datesOf, entriesOf, monthAfter, type Coming } from './calendar.ts'

const coming = (more: Partial<Coming>): Coming => ({
  ...{
    id: 'x',
    name: 'Sale',
    status: 'scheduled',
    schedule: { type: 'now' },
    nextAt: null,
    createdAt: '2026-11-01T00:00:00Z',
    startedAt: null,
  },
  ...more,
})
const span = { from: new Date('2026-12-01T00:00:00Z'), to: new Date('2026-12-31T23:59:59Z'), now: new Date('2026-12-10T12:00:00Z') }

test('a month is shown in whole weeks from Monday to Sunday', () => {
  expect(datesOf('2026-12').at(0)).toBe('2026-11-30')
  expect(datesOf('2026-12').at(-1)).toBe('2027-01-03')
  expect(datesOf('2027-02')).toHaveLength(28)
  expect([monthAfter('2026-12', 1), monthAfter('2027-01', -1), monthAfter('2026-11', 14)]).toEqual(['2027-01', '2026-12', '2028-01'])
})

// spec: dashboard/calendar
test('the calendar has each occurrence of a recurrence and the beginning of any other campaign, and nothing that is past', () => {
  const entries = entriesOf(
    [
      coming({ id: 'at', nextAt: '2026-12-24T17:00:00Z' }),
      coming({ id: 'past', nextAt: '2026-12-09T17:00:00Z' }),
      coming({ id: 'later', nextAt: '2027-01-09T17:00:00Z' }),
      coming({
        id: 'weekly',
        status: 'active',
        schedule: {
          type: 'recurring',
          every: 'week',
          daysOfWeek: [1, 4],
          localTime: '09:00',
          timezone: 'Europe/Vienna',
          until: '2026-12-22T00:00:00Z',
        },
      }),
      coming({ id: 'twice', status: 'active', runs: ['2026-12-11T09:00:00Z', '2027-01-11T09:00:00Z'] }),
    ],
    span,
  )
  expect(entries.map(({ id, at }) => `${id} ${at.toISOString()}`)).toEqual([
    'twice 2026-12-11T09:00:00.000Z',
    'weekly 2026-12-14T08:00:00.000Z',
    'weekly 2026-12-17T08:00:00.000Z',
    'weekly 2026-12-21T08:00:00.000Z',
    'at 2026-12-24T17:00:00.000Z',
  ])
  expect([...byDate(entries, 'Pacific/Auckland').keys()]).toEqual(['2026-12-11', '2026-12-14', '2026-12-17', '2026-12-21', '2026-12-25'])
})
