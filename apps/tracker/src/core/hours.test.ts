import { expect, test } from 'vitest'
import { hourMoves } from './hours.ts'

test('what was new is added up by app and platform, and by campaign and code where pushes failed or were skipped, in the order of the keys', () => {
  const { hours, codes } = hourMoves([
    { campaignId: 'c2', appId: 'b', platform: 'web', kind: 'skipped', code: 'silent_web', count: 2 },
    { campaignId: 'c1', appId: 'a', platform: 'ios', kind: 'sent', code: '', count: 5 },
    { campaignId: 'c3', appId: 'a', platform: 'ios', kind: 'failed', code: 'timeout', count: 1 },
    { campaignId: 'c1', appId: 'a', platform: 'ios', kind: 'failed', code: 'timeout', count: 1 },
    { campaignId: 'c1', appId: 'a', platform: 'ios', kind: 'failed', code: 'timeout', count: 2 },
    { campaignId: 'c1', appId: 'a', platform: 'android', kind: 'opened', code: '', count: 1 },
  ])
  expect(hours).toEqual([
    { app_id: 'a', platform: 'android', opened: 1 },
    { app_id: 'a', platform: 'ios', sent: 5, failed: 4 },
    { app_id: 'b', platform: 'web', skipped: 2 },
  ])
  expect(codes).toEqual([
    { campaign_id: 'c1', app_id: 'a', platform: 'ios', outcome: 'failed', code: 'timeout', count: 3 },
    { campaign_id: 'c2', app_id: 'b', platform: 'web', outcome: 'skipped', code: 'silent_web', count: 2 },
    { campaign_id: 'c3', app_id: 'a', platform: 'ios', outcome: 'failed', code: 'timeout', count: 1 },
  ])
})
