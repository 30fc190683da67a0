import { createECDH } from 'node:crypto'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Call } from '../call.ts'
import { newId } from '../ids.ts'
import * as audience from './audience.ts'
import * as campaigns from './campaigns.ts'
import * as gateway from './gateway.ts'
import * as tracker from './tracker.ts'
import * as webhooks from './webhooks.ts'

type AnyCall = Call<unknown, unknown>
const isCall = (value: unknown): value is AnyCall => typeof value === 'object' && value !== null && 'timeoutMs' in value
const everyCall = [audience, campaigns, gateway, tracker, webhooks].flatMap((module) => Object.values(module).filter(isCall))

const appId = newId()
const segment = { and: [{ field: 'language', op: 'eq', value: 'de' }] }
const content = {
  _default: 'pt_br',
  pt_br: { title: 'Oi {{ tags.name }}', body: 'Corpo', url: 'https://example.org/{{ user.id }}', actions: [{ id: 'a', title: 'Sim' }] },
  EN: { title: 'Hi', body: 'Body' },
}
const send = {
  content,
  data: { k: 'v' },
  ttl: 60,
  collapseId: 'c',
  priority: 'high',
  presentation: { badge: 1, sound: 'default' },
}
const campaign = {
  name: 'Spring',
  segment,
  schedule: {
    type: 'recurring',
    every: 'week',
    daysOfWeek: [1],
    localTime: '09:30',
    timezone: 'europe/berlin',
    until: '2030-01-01T00:00+02:00',
  },
  experiment: { sampleRate: 0.5, variants: [variant('a'), variant('b')] },
  ...send,
  bypass: { quietHours: true },
}
const browser = createECDH('prime256v1')
browser.generateKeys()
const keys = { p256dh: browser.getPublicKey('base64url'), auth: `${Buffer.alloc(16, 7).toString('base64url')}==` }
const person = {
  externalId: 'customer-7',
  tags: { plan: 'pro', n: 1, vip: true },
  language: 'PT_br',
  timezone: 'europe/BERLIN',
  country: 'de',
}

/** Bodies for the calls that carry the body of an HTTP request. Many have spellings that the gateway's check changes, such as `PT_br`. */
const bodies: [AnyCall, Record<string, unknown>][] = [
  [
    audience.registerSubscription,
    { appId, subscription: { platform: 'android', token: 'token-of-a-device', appVersion: '1.2', ...person } },
  ],
  [audience.patchSubscription, { appId, subscriptionId: newId(), changes: { optedIn: false, appVersion: '1' } }],
  [audience.startSession, { appId, subscriptionId: newId(), session: { appVersion: '2' } }],
  [audience.changeOwner, { appId, subscriptionId: newId(), changes: { tags: { a: null, b: 'x' }, language: 'pt_BR', country: 'fr' } }],
  [
    audience.rotateSubscription,
    { appId, rotation: { old: 'https://push.example.org/1', new: { endpoint: 'https://push.example.org/2', keys } } },
  ],
  [audience.changeUser, { appId, user: { externalId: 'e' }, changes: { timezone: 'ASIA/tokyo' } }],
  [audience.startImport, { appId, settings: { format: 'csv', columns: { externalId: 'customer' }, maxRowsPerSecond: 500 } }],
  [audience.createSegment, { appId, segment: { name: 'Germans', description: null, definition: segment } }],
  [audience.replaceSegment, { appId, segmentId: newId(), segment: { name: 'Germans', definition: {} } }],
  [
    campaigns.sendLiveActivity,
    {
      appId,
      idempotency: null,
      activity: {
        activityId: 'match-3',
        event: 'update',
        attributesType: 'MatchAttributes',
        contentState: { home: 1 },
        staleAt: '2026-02-01T08:00:00.000Z',
      },
    },
  ],
  [audience.putActivityToken, { appId, subscriptionId: appId, starts: true, name: 'A', attributesType: 'A', token: 'ab' }],
  [audience.deleteActivityToken, { appId, subscriptionId: appId, activityId: 'match-3' }],
  [campaigns.sendNotification, { appId, idempotency: null, notification: { target: { externalIds: ['a', 'b'] }, ...send } }],
  [campaigns.sendTest, { appId, idempotency: null, test: { subscriptionIds: [newId(), newId()], mark: true, ...send } }],
  [audience.findTestDevices, { appId, selector: { externalIds: ['a'] } }],
  [campaigns.createCampaign, { appId, idempotency: { key: 'k', fingerprint: 'f'.repeat(64) }, campaign }],
  [campaigns.replaceCampaign, { appId, campaignId: newId(), campaign: { name: 'Silent', silent: true } }],
  [campaigns.createTemplate, { appId, template: { name: 'Welcome', ...send } }],
  [campaigns.replaceTemplate, { appId, templateId: newId(), template: { name: 'Welcome', content } }],
  [webhooks.createWebhook, { appId, webhook: { url: 'https://hooks.example.org/x' } }],
  [webhooks.changeWebhook, { appId, webhookId: newId(), changes: { enabled: false } }],
]
function variant(id: string) {
  return { id, name: `Variant ${id}`, content }
}

const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test.each(bodies.map(([call, body]) => [call.subject, call, body] as const))(
  'the call %s accepts a body that the gateway has already checked, and does not change it a second time',
  (_subject, call, body) => {
    const sent = overTheWire(call.request.parse(body))

    expect(overTheWire(call.request.parse(sent))).toEqual(sent)
  },
)

test.each(bodies.map(([call, body]) => [call.subject, call, body] as const))(
  'the call %s refuses a text, a number, a list or a foreign field in place of its body',
  (_subject, call, body) => {
    const sent = overTheWire(call.request.parse(body)) as Record<string, unknown>
    for (const [name, value] of Object.entries(sent)) {
      if (typeof value !== 'object' || value === null) continue
      for (const wrong of [undefined, 'text', 7, [], { ...value, foreign: { deep: true } }]) {
        if (name === 'user' || name === 'idempotency') continue
        expect([name, wrong, call.request.safeParse({ ...sent, [name]: wrong }).success]).toEqual([name, wrong, isOptional(call, wrong)])
      }
    }
  },
)

/** Only the start of a session (POST …/session) accepts that the body is missing. */
const isOptional = (call: AnyCall, wrong: unknown) => call.subject === 'rpc.audience.start-session' && wrong === undefined

test('in calls to a service other than the dispatcher no field accepts every value, except the segment to preview', () => {
  const unchecked = everyCall.flatMap(({ subject, request }) => {
    if (!(request instanceof z.ZodObject)) return [subject]
    return Object.entries(request.shape).flatMap(([name, field]) =>
      z.safeParse(field as z.ZodType, Symbol('anything')).success ? [`${subject} ${name}`] : [],
    )
  })

  expect(unchecked).toEqual(['rpc.audience.preview-segment segment'])
})
