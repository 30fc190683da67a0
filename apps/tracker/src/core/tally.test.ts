import { expect, test } from 'vitest'
import { tally } from './tally.ts'

test('outcomes and reports are added up by campaign and variant, outcomes with a platform also by platform', () => {
  const { byCampaign, byVariant } = tally([
    { campaignId: 'one', variant: '', kind: 'sent' },
    { campaignId: 'one', variant: 'a', kind: 'sent' },
    { campaignId: 'one', variant: 'a', kind: 'failed', endedOn: 'web', count: 3 },
    { campaignId: 'two', variant: 'a', kind: 'opened' },
  ])
  expect(byCampaign).toEqual(
    new Map([
      ['one', { sent: 2, failed: 3, ended: { web: 3 } }],
      ['two', { opened: 1 }],
    ]),
  )
  expect(byVariant).toEqual([
    { campaignId: 'one', variant: 'a', tally: { sent: 1, failed: 3 } },
    { campaignId: 'two', variant: 'a', tally: { opened: 1 } },
  ])
})
