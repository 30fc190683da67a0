import { expect, test } from 'vitest'
import { attentionNotes, unusedKeyNotes } from './attention.ts'

const none = { total: 0, invalidated: 0 }
const devices = { ios: none, android: none, web: none }
const now = Date.parse('2026-02-06T15:00:00.000Z')
const noteOf = (code: string, params: Record<string, string | number | null>) => attentionNotes([{ code, params }], devices, now)[0]

// spec: administration/overview-attention
test.each([
  [
    'circuit_open',
    { platform: 'ios', reason: 'credentials_invalid', since: 'x', heldCount: 12_004 },
    'APNs refuses the app’s credentials. 12,004 pushes on hold; no one was unsubscribed.',
    'providers',
  ],
  [
    'quota_slowed',
    { platform: 'android', perSecond: 100, since: 'x' },
    'FCM is throttling: at most 100 pushes a second now. The others wait.',
    'providers',
  ],
  [
    'provider_missing',
    { platform: 'web', reachable: 1 },
    '1 Web device cannot receive pushes: the app has no credentials for Web Push.',
    'providers',
  ],
  ['many_failures', { platform: 'android', failed: 30, sent: 170 }, '30 of 200 pushes to Android failed within 24 hours.', 'log'],
  [
    'campaign_failed',
    { campaignId: 'c1', name: 'Sale', at: 'x', reason: 'invalid_segment' },
    'The campaign “Sale” failed: its segment could not be evaluated.',
    'campaign',
  ],
  ['campaign_paused', { campaignId: 'c1', name: 'Sale', since: 'x' }, 'The campaign “Sale” is paused.', 'campaign'],
  [
    'webhook_disabled',
    { webhookId: 'w1', since: 'x' },
    'A webhook endpoint was switched off after too many failures. It gets no new events until it is enabled again.',
    'webhook',
  ],
  [
    'webhook_failing',
    { webhookId: 'w1', consecutiveFailures: 7 },
    'A webhook endpoint has failed 7 times in a row. It is switched off after too many.',
    'webhook',
  ],
])('the overview shows %s as a sentence, with a link to the page where the operator can act', (code, params, text, page) => {
  const note = noteOf(code, params)
  expect([note?.text, note?.link.page]).toEqual([text, page])
})

test('the note about many failures links to the log with its platform’s failures of the last 24 hours', () => {
  expect(noteOf('many_failures', { platform: 'android', failed: 30, sent: 170 })?.link.search).toEqual({
    outcome: 'failed',
    platform: 'android',
    from: '2026-02-05T15:00:00.000Z',
  })
})

test('the overview also shows an attention code that this version of the page does not know', () => {
  expect(noteOf('disk_full', {})?.text).toContain('disk_full')
})

test('the overview warns of invalidated devices only from 20 and more than 5 % of a platform', () => {
  const codes = (total: number, invalidated: number) =>
    attentionNotes([], { ...devices, ios: { total, invalidated } }, now).map(({ key }) => key)
  expect(codes(1_000, 60)).toEqual(['dead-ios'])
  expect(codes(1_000, 50)).toEqual([])
  expect(codes(100, 19)).toEqual([])
})

test('the overview names a key not used for 90 days, and none made or used since', () => {
  const key = { id: 'k', name: 'backend', createdAt: '2025-01-01T00:00:00.000Z', lastUsedAt: null }
  const texts = (changes: Partial<Parameters<typeof unusedKeyNotes>[0][number]>) =>
    unusedKeyNotes([{ ...key, ...changes }], now).map(({ text }) => text)
  expect(texts({})).toEqual(['The key “backend” was never used. Revoke it if nothing needs it.'])
  expect(texts({ lastUsedAt: '2025-10-01T00:00:00.000Z' })).toEqual([
    'The key “backend” has not been used for 90 days. Revoke it if nothing needs it.',
  ])
  expect(texts({ lastUsedAt: '2026-01-01T00:00:00.000Z' })).toEqual([])
  expect(texts({ createdAt: '2026-02-01T00:00:00.000Z' })).toEqual([])
})
