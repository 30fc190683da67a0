import { expect, test } from 'vitest'
import { idsOf } from './log.ts'

const id = (n: number) => n.toString(16).padStart(24, '0')

test('a log line takes from a body only the ids of app, campaign, batch and announcement, at most ten each', () => {
  expect(idsOf({ appId: id(1), campaignId: id(2), content: 'text', userId: id(3) })).toEqual({ appId: id(1), campaignId: id(2) })
  expect(idsOf({ announcementId: id(1), events: [{ campaignId: id(2) }, { campaignId: id(2) }] })).toEqual({
    announcementId: id(1),
    campaignId: id(2),
  })
  const batches = [...Array(12).keys()].map((n) => ({ batchId: id(n), campaignId: id(1) }))
  expect(idsOf({ batches })).toEqual({ campaignId: id(1), batchIds: [...Array(10).keys()].map(id) })
})

test('a body that is no object, or has something else where ids belong, adds nothing to a log line', () => {
  for (const body of [
    undefined,
    null,
    7,
    'text',
    [],
    {},
    { campaignId: 'customer-7' },
    { campaignId: 7 },
    { events: [null, 'text', { appId: {} }] },
  ])
    expect(idsOf(body)).toEqual({})
})
