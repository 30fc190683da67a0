import { expect, test } from 'vitest'
import { validateCampaignsSearch } from '../campaigns/search.ts'
import { validateLogSearch } from './search.ts'

const id = '671a2b3c4d5e6f7081920a05'

test('an address with all filters of the log gives all of them back', () => {
  const search = {
    outcome: 'failed',
    code: 'token_dead',
    platform: 'ios',
    campaignId: id,
    subscriptionId: id,
    userId: id,
    from: '2026-02-05T15:00:00.000Z',
    to: '2026-02-06T15:00:00.000Z',
    live: true,
  }
  expect(validateLogSearch(search)).toEqual(search)
})

test('what the API would refuse is left out of the filters, and the rest stays', () => {
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
  expect(validateLogSearch(raw)).toEqual({ userId: id })
})

test('a moment in another zone is kept as the same moment in UTC', () => {
  expect(validateLogSearch({ from: '2026-02-06T16:00:00+01:00' })).toEqual({ from: '2026-02-06T15:00:00.000Z' })
})

test('the list of campaigns takes its filters from the address, also a name of digits', () => {
  expect(validateCampaignsSearch({ status: 'paused', transactional: true, q: 2026, cursor: 'c', other: 1 })).toEqual({
    status: 'paused',
    transactional: true,
    q: '2026',
    cursor: 'c',
  })
  expect(validateCampaignsSearch({ status: 'lost', test: 'yes', q: '' })).toEqual({})
})
