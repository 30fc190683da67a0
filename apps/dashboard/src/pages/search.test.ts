import { expect, test } from 'vitest'
import { readCampaignsSearch, readLogSearch } from './search.ts'

const id = '671a2b3c4d5e6f7081920a05'

test('every filter of the log that is in the address is read from it', () => {
  const search = {
    outcome: 'failed',
    code: 'token_dead',
    platform: 'ios',
    campaignId: id,
    subscriptionId: id,
    userId: id,
    reported: 'clicked',
    from: '2026-02-05T15:00:00.000Z',
    to: '2026-02-06T15:00:00.000Z',
    live: true,
  }
  expect(readLogSearch(search)).toEqual(search)
})

test('a filter that the API would refuse is left out, and the other filters stay', () => {
  const raw = {
    outcome: 'lost',
    code: '<script>',
    platform: 'windows',
    campaignId: 'abc',
    from: 'yesterday',
    to: 7,
    live: 'yes',
    userId: id,
  }
  expect(readLogSearch(raw)).toEqual({ userId: id })
})

test('a time in the address that has an offset from UTC becomes the same time in UTC', () => {
  expect(readLogSearch({ from: '2026-02-06T16:00:00+01:00' })).toEqual({ from: '2026-02-06T15:00:00.000Z' })
})

test('the campaigns’ filters are read from the address, also a name of digits; wrong ones are left out', () => {
  expect(readCampaignsSearch({ status: 'paused', transactional: true, q: 2026, cursor: 'c', days: 7, sort: 'clicked', other: 1 })).toEqual({
    status: 'paused',
    transactional: true,
    q: '2026',
    cursor: 'c',
    days: 7,
    sort: 'clicked',
  })
  const others = { author: 'Dana', audience: 'segment', platform: 'web' }
  expect(readCampaignsSearch(others)).toEqual(others)
  expect(
    readCampaignsSearch({ author: '', audience: 'nobody', platform: 'symbian', status: 'lost', test: 'yes', q: '', days: 8, sort: 'name' }),
  ).toEqual({})
})
