import { Event } from '@herald/contracts/event'
import { newId } from '@herald/contracts/ids'
import { webhookEvents } from '@herald/contracts/webhook-event'
import { expect, test } from 'vitest'
import { completedEvent, engagementEvent, outcomeEvent } from './event.ts'

const at = '2026-01-31T08:00:00.000Z'
const push = { appId: newId(), campaignId: newId(), platform: 'ios' as const }
const sent = {
  subscriptionId: newId(),
  userId: newId(),
  variant: '',
  outcome: 'sent' as const,
  code: '' as const,
  providerCode: '',
  tokenVersion: 1,
  attempts: 1,
}

// spec: webhooks/event-data
test('the event of a sent push has its type, time, app, campaign, platform, user and device, and nothing more', () => {
  const event = outcomeEvent(push, sent, at)
  expect(event).toEqual({ type: 'notification.sent', at, ...push, userId: sent.userId, subscriptionId: sent.subscriptionId })
  expect(Event.parse(event)).toEqual(event)
})

// spec: webhooks/event-data, tracking/failure-data
test('a failed push’s event names code, provider’s code or null, and attempts; a skipped push’s the reason', () => {
  expect(outcomeEvent(push, { ...sent, outcome: 'failed', code: 'rate_limited', providerCode: '429', attempts: 5 }, at)).toMatchObject({
    type: 'notification.failed',
    data: { code: 'rate_limited', providerCode: '429', attempts: 5 },
  })
  expect(outcomeEvent(push, { ...sent, outcome: 'failed', code: 'timeout', attempts: 1 }, at).data).toEqual({
    code: 'timeout',
    providerCode: null,
    attempts: 1,
  })
  expect(outcomeEvent(push, { ...sent, outcome: 'skipped', code: 'opted_out' }, at)).toMatchObject({
    type: 'notification.skipped',
    data: { reason: 'opted_out' },
  })
})

// spec: webhooks/event-types
test('the event of a device’s report has the name of the report’s kind: delivered, opened, clicked or dismissed', () => {
  for (const kind of ['delivered', 'opened', 'clicked', 'dismissed'] as const) {
    const event = engagementEvent({ ...push, kind, userId: newId(), subscriptionId: newId(), variant: 'a' }, at)
    expect(event.type).toBe(`notification.${kind}`)
    expect(Event.parse(event)).toEqual(event)
  }
})

// spec: tracking/action, webhooks/event-data
test('a report’s event names its action; without one it has no data', () => {
  const report = { ...push, kind: 'clicked' as const, userId: newId(), subscriptionId: newId(), variant: '' }
  const event = engagementEvent({ ...report, action: 'track' }, at)
  expect(event.data).toEqual({ action: 'track' })
  expect(Event.parse(event)).toEqual(event)
  expect(engagementEvent({ ...report, action: 'track' }, at, { test: true }).data).toEqual({ action: 'track', test: true })
  expect(engagementEvent(report, at)).not.toHaveProperty('data')
  const received = { ...event, id: 'evt_0f1e2d3c4b5a69788796a5b4', ts: at }
  expect(webhookEvents['notification.clicked'].parse(received)).toMatchObject({ data: { action: 'track' } })
})

// spec: webhooks/event-test
test('a test’s sent, failed, skipped, opened and completed events say that it is one', () => {
  const test = true as const
  expect(outcomeEvent({ ...push, test }, sent, at).data).toEqual({ test })
  expect(outcomeEvent({ ...push, test }, { ...sent, outcome: 'skipped', code: 'expired' }, at).data).toEqual({ reason: 'expired', test })
  expect(outcomeEvent({ ...push, test }, { ...sent, outcome: 'failed', code: 'timeout' }, at).data).toEqual({
    ...{ code: 'timeout', providerCode: null, attempts: 1 },
    test,
  })
  const report = { ...push, kind: 'opened' as const, userId: newId(), subscriptionId: newId(), variant: '' }
  expect(engagementEvent(report, at, { test }).data).toEqual({ test })
  expect(engagementEvent(report, at)).not.toHaveProperty('data')
  const byPlatform = { ios: 1, android: 0, web: 0 }
  const completed = completedEvent({ ...push, name: 'Spring', transactional: true, byPlatform, test }, at)
  expect(completed.data).toEqual({ queued: 1, byPlatform, name: 'Spring', transactional: true, test })
})

// spec: webhooks/event-completed
test('campaign.completed has the totals, in all and by platform, name and kind, and no user or device', () => {
  const { platform: _, ...ids } = push
  const event = completedEvent({ ...ids, name: 'Spring', transactional: false, byPlatform: { ios: 1, android: 2, web: 3 } }, at)
  expect(event).toEqual({
    type: 'campaign.completed',
    at,
    ...ids,
    data: { queued: 6, byPlatform: { ios: 1, android: 2, web: 3 }, name: 'Spring', transactional: false },
  })
})

// spec: limits/document-webhooks
test('each event type of the tracker fits its schema in the OpenAPI document, without unknown top-level fields', () => {
  const { platform: _, ...ids } = push
  const reported = (['delivered', 'opened', 'clicked', 'dismissed'] as const).map((kind) =>
    engagementEvent({ ...push, kind, userId: newId(), subscriptionId: newId(), variant: '' }, at),
  )
  const told = [
    outcomeEvent(push, sent, at),
    outcomeEvent(push, { ...sent, outcome: 'failed', code: 'timeout' }, at),
    outcomeEvent(push, { ...sent, outcome: 'failed', code: 'rate_limited', providerCode: '429' }, at),
    outcomeEvent(push, { ...sent, outcome: 'skipped', code: 'opted_out' }, at),
    ...reported,
    completedEvent({ ...ids, name: 'Spring', transactional: false, byPlatform: { ios: 1, android: 2, web: 3 } }, at),
  ]
  for (const { at: ts, ...event } of told) {
    const shown = { id: `evt_${'0'.repeat(24)}`, ts, ...event }
    expect([event.type, webhookEvents[event.type].strict().safeParse(shown).error?.issues]).toEqual([event.type, undefined])
  }
  expect(new Set(told.map(({ type }) => type)).size).toBe(8)
})
