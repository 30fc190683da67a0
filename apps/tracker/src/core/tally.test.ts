import { expect, test } from 'vitest'
import { tally } from './tally.ts'

test('what was new is added up by campaign, there also by platform, and by variant for what has one', () => {
  const { byCampaign, byVariant } = tally([
    { campaignId: 'one', variant: '', kind: 'sent' },
    { campaignId: 'one', variant: 'a', kind: 'sent' },
    { campaignId: 'one', variant: 'a', kind: 'failed', endedOn: 'web', count: 3 },
    { campaignId: 'two', variant: 'a', kind: 'opened' },
  ])
  expect(byCampaign).toEqual(
    new Map([
      ['one', { sent: 2, failed: 3, settled_web: 3 }],
      ['two', { opened: 1 }],
    ]),
  )
  expect(byVariant).toEqual([
    { campaignId: 'one', variant: 'a', tally: { sent: 1, failed: 3 } },
    { campaignId: 'two', variant: 'a', tally: { opened: 1 } },
  ])
})
