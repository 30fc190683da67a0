import { expect, test } from 'vitest'
import { hourMoves } from './hours.ts'

test('outcomes and reports are added up by app and platform, failures and skips by code, both sorted', () => {
  const { hours, codes } = hourMoves([
    { campaignId: 'c2', appId: 'b', platform: 'web', kind: 'skipped', code: 'silent_web', count: 2 },
    { campaignId: 'c1', appId: 'a', platform: 'ios', kind: 'sent', code: '', count: 5 },
    { campaignId: 'c3', appId: 'a', platform: 'ios', kind: 'failed', code: 'timeout', count: 1 },
    { campaignId: 'c1', appId: 'a', platform: 'ios', kind: 'failed', code: 'timeout', count: 1 },
    { campaignId: 'c1', appId: 'a', platform: 'ios', kind: 'failed', code: 'timeout', count: 2 },
    { campaignId: 'c1', appId: 'a', platform: 'android', kind: 'opened', code: '', count: 1 },
  ])
  expect(hours).toEqual([
    { appId: 'a', platform: 'android', opened: 1 },
    { appId: 'a', platform: 'ios', sent: 5, failed: 4 },
    { appId: 'b', platform: 'web', skipped: 2 },
  ])
  expect(codes).toEqual([
    { campaignId: 'c1', appId: 'a', platform: 'ios', outcome: 'failed', code: 'timeout', count: 3 },
    { campaignId: 'c2', appId: 'b', platform: 'web', outcome: 'skipped', code: 'silent_web', count: 2 },
    { campaignId: 'c3', appId: 'a', platform: 'ios', outcome: 'failed', code: 'timeout', count: 1 },
  ])
})
