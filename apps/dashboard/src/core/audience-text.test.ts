import { expect, test } from 'vitest'
import { describeAudience, type CampaignAudience } from './audience-text.ts'

test.each<[string, CampaignAudience]>([
  ['Everyone', { kind: 'everyone' }],
  ['1 person', { kind: 'people', by: 'externalIds', count: 1, ids: ['ada'] }],
  ['1,204 people', { kind: 'people', by: 'userIds', count: 1204, ids: null }],
  ['2 devices', { kind: 'people', by: 'subscriptionIds', count: 2, ids: null }],
  ['A test to 1 device', { kind: 'test', by: 'subscriptionIds', count: 1, ids: null }],
  ['Country is DE', { kind: 'segment', segmentId: null, segment: { field: 'country', op: 'eq', value: 'DE' } }],
  ['Everyone', { kind: 'segment', segmentId: 'a', segment: {} }],
  ['A segment', { kind: 'segment', segmentId: 'a', segment: null }],
  ['Remaining audience (87.5 %)', { kind: 'remainder', of: 'a', sampleRate: 0.125 }],
])('an audience is described as “%s”', (words, audience) => {
  expect(describeAudience(audience)).toBe(words)
})
