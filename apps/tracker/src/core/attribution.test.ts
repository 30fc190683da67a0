import { expect, test } from 'vitest'
import { causeOf, type SeenPush } from './attribution.ts'
import { addDecimals, conversionCounts, conversionMoves, type NewConversion } from './conversion-moves.ts'

const hour = 3_600_000
const at = Date.parse('2026-02-01T12:00:00.000Z')
const windows = { directHours: 24, influencedHours: 1 }
const push = (campaignId: string, fields: Partial<SeenPush> = {}): SeenPush => ({
  ...{ campaignId, day: '2026-02-01', subscriptionId: 'd', platform: 'ios', variant: '', touchedAt: [], sentAt: null, silent: false },
  ...fields,
})
const causeIn = (pushes: SeenPush[], of = windows) => {
  const cause = causeOf(pushes, at, of)
  return cause && [cause.push.campaignId, cause.how]
}

// spec: conversions/attribution
test('a conversion belongs to the push opened or clicked last, even when another was sent later, else last sent', () => {
  const opened = push('a', { touchedAt: [at - 3 * hour], sentAt: at - 4 * hour })
  const clicked = push('b', { touchedAt: [at - 5 * hour, at - 2 * hour], sentAt: at - 6 * hour })
  const sent = push('c', { sentAt: at - hour / 2 })
  const later = push('d', { sentAt: at - hour / 4 })
  expect(causeIn([opened, clicked, sent])).toEqual(['b', 'direct'])
  expect(causeIn([opened, sent, later])).toEqual(['a', 'direct'])
  expect(causeIn([sent, later])).toEqual(['d', 'influenced'])
  expect(causeIn([])).toBeUndefined()
})

// spec: conversions/windows
test('both ends of a window count, a second outside of it does not, and with 0 hours nothing is influenced', () => {
  expect(causeIn([push('a', { touchedAt: [at - 24 * hour] })])).toEqual(['a', 'direct'])
  expect(causeIn([push('a', { touchedAt: [at - 24 * hour - 1_000] })])).toBeUndefined()
  expect(causeIn([push('a', { touchedAt: [at] })])).toEqual(['a', 'direct'])
  expect(causeIn([push('a', { touchedAt: [at + 1_000] })])).toBeUndefined()
  expect(causeIn([push('a', { sentAt: at - hour })])).toEqual(['a', 'influenced'])
  expect(causeIn([push('a', { sentAt: at - hour - 1_000 })])).toBeUndefined()
  expect(causeIn([push('a', { sentAt: at })], { directHours: 24, influencedHours: 0 })).toBeUndefined()
})

// spec: conversions/tests-and-silent
test('a silent push is the cause only when it was opened', () => {
  expect(causeIn([push('a', { sentAt: at, silent: true })])).toBeUndefined()
  expect(causeIn([push('a', { sentAt: at, silent: true, touchedAt: [at] })])).toEqual(['a', 'direct'])
})

// spec: conversions/stats
test('sums of values are exact, and have 2 to 4 decimals', () => {
  const sum = (values: string[]) => values.reduce(addDecimals, '0')
  expect(sum(Array.from({ length: 10 }, () => '0.1'))).toBe('1.00')
  expect(sum(['12.5'])).toBe('12.50')
  expect(sum(['0.1', '0.0234'])).toBe('0.1234')
  expect(sum(['0.12', '0.003'])).toBe('0.123')
  expect(sum(['-0.5', '0.25'])).toBe('-0.25')
  expect(sum(['1000000000000', '999999999999.9999'])).toBe('1999999999999.9999')
  expect(sum(['3', '-3'])).toBe('0.00')
})

test('conversions are added up by campaign, variant, name and currency, in locking order, each user once', () => {
  const one: NewConversion = {
    ...{ campaignId: 'b', day: '2026-02-01', variant: 'red', name: 'order', platform: 'web', how: 'direct' },
    ...{ value: '0.1', currency: 'EUR', isNewUser: true },
  }
  const { names, campaigns, hours } = conversionMoves('app', [
    one,
    { ...one, isNewUser: false, how: 'influenced', value: '0.2' },
    { ...one, campaignId: 'a', variant: '', value: null, platform: 'android' },
  ])
  const none = { count: 0, direct: 0, influenced: 0, users: 0 }
  expect(names).toEqual([
    { campaign_id: 'a', variant: '', name: 'order', currency: '', count: 1, direct: 1, influenced: 0, users: 1, value: '0' },
    { campaign_id: 'b', variant: 'red', name: 'order', currency: '', count: 2, direct: 1, influenced: 1, users: 1, value: '0' },
    { campaign_id: 'b', variant: 'red', name: 'order', currency: 'EUR', ...none, value: '0.30' },
  ])
  expect(campaigns).toEqual([
    { campaign_id: 'a', converted: 1 },
    { campaign_id: 'b', converted: 2 },
  ])
  expect(hours.map(({ platform, converted }) => [platform, converted])).toEqual([
    ['android', 1],
    ['web', 2],
  ])
})

test('the conversions of a campaign are the sum of those of its variants', () => {
  const row = { name: 'order', currency: '', count: 2, direct: 1, influenced: 1, users: 2, value: '0' }
  const value = { name: 'order', currency: 'EUR', count: 0, direct: 0, influenced: 0, users: 0, value: '2.5000' }
  const { all, byVariant } = conversionCounts([
    { variant: 'a', ...row },
    { variant: 'a', ...value },
    { variant: 'b', ...row },
    { variant: 'b', ...value },
  ])
  expect(all).toEqual({ order: { count: 4, direct: 2, influenced: 2, users: 4, value: { EUR: '5.00' } } })
  expect(byVariant.get('a')).toEqual({ order: { count: 2, direct: 1, influenced: 1, users: 2, value: { EUR: '2.50' } } })
})
