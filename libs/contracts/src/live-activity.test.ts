import { expect, test } from 'vitest'
import type { Content } from './content.ts'
import { Fault } from './fault.ts'
import { HeldActivity, SendLiveActivity, type LiveActivity } from './live-activity.ts'
import { buildApnsPayload, checkActivityFits, encodePush } from './payload.ts'
import { parseBody } from './validate.ts'

const alert = { _default: 'en', en: { title: 'Goal', body: 'One to nothing.' } }
const base = { activityId: 'match-3', attributesType: 'MatchAttributes', contentState: { home: 1 } }
const start = { ...base, event: 'start', target: { all: true }, attributes: { home: 'Graz' }, alert }

function pathsRefused(body: unknown, schema: typeof SendLiveActivity | typeof HeldActivity = SendLiveActivity): string[] {
  try {
    parseBody(schema, body)
    return []
  } catch (error) {
    if (!Fault.is(error, 'invalid_body')) throw error
    return (error.details ?? []).map(({ path }) => path)
  }
}

// spec: activities/send
test('a start of a Live Activity needs target, attributes and alert; update and end take no target and no attributes', () => {
  expect(pathsRefused(start)).toEqual([])
  expect(pathsRefused({ ...base, event: 'start' })).toEqual(['target', 'attributes', 'alert'])
  for (const event of ['update', 'end']) {
    expect(pathsRefused({ ...base, event })).toEqual([])
    expect(pathsRefused({ ...base, event, alert })).toEqual([])
    expect(pathsRefused({ ...start, event })).toEqual(['target', 'attributes'])
  }
  expect(pathsRefused({ ...base, event: 'end', dismissAt: '2026-02-01T08:00:00Z' })).toEqual([])
  expect(pathsRefused({ ...base, event: 'update', dismissAt: '2026-02-01T08:00:00Z' })).toEqual(['dismissAt'])
  expect(pathsRefused({ ...base, event: 'stop' })).toEqual(['event'])
  expect(pathsRefused({ event: 'update' })).toEqual(['activityId', 'attributesType', 'contentState'])
})

// spec: activities/tokens
test('an activity’s id and type have 1 to 64 allowed characters, and a token the form of an iOS token', () => {
  for (const activityId of ['', 'a b', 'ä', 'x'.repeat(65)])
    expect(pathsRefused({ ...base, event: 'update', activityId })).toEqual(['activityId'])
  for (const activityId of ['match-3', 'a.b:c_d', 'x'.repeat(64)])
    expect(pathsRefused({ ...base, event: 'update', activityId })).toEqual([])
  for (const token of ['', '<80 a3>', 'x'.repeat(4097)])
    expect(pathsRefused({ attributesType: 'A', token }, HeldActivity)).toEqual(['token'])
  expect(pathsRefused({ attributesType: 'A', token: '80a3' }, HeldActivity)).toEqual([])
})

// spec: activities/send
test('a state or an alert that does not fit into 4,096 bytes is named where it is too large', () => {
  const update = (size: number): LiveActivity => ({
    ...base,
    event: 'update',
    contentState: { text: 'x'.repeat(size) },
    timestamp: 9_999_999_999,
  })
  const room = 4_096 - Buffer.byteLength(JSON.stringify(payloadOf(update(0))))
  const refused = (size: number, shown: Content | null = null) => checkActivityFits(update(size), shown).map(({ path }) => path)
  expect(refused(room)).toEqual([])
  expect(refused(room + 1)).toEqual(['contentState'])
  expect(refused(room + 1, alert)).toEqual(['contentState'])
  expect(refused(room - 20, alert)).toEqual(['alert.en'])
  // Of a long text only its beginning has to fit.
  const long = { _default: 'en', en: { title: 'T', body: 'y'.repeat(2_000) } }
  expect(refused(room - 200, long)).toEqual([])
})

// spec: activities/send
test('a state that no phone could get as it is is refused with its path', () => {
  const refused = (contentState: unknown) => pathsRefused({ ...base, event: 'update', contentState })
  expect(refused({ a: { b: 'nul \0' } })).toEqual(['contentState.a.b'])
  expect(refused({ a: [1, 2 ** 60] })).toEqual(['contentState.a.1'])
  expect(refused('state')).toEqual(['contentState'])
})

const payloadOf = (activity: Pick<LiveActivity, 'event' | 'contentState'> & Partial<LiveActivity>, withAlert = false) =>
  buildApnsPayload({
    msgId: 'message',
    entry: withAlert ? alert.en : null,
    send: {
      ...{ campaignId: '6b0101fa670fb6323e3094c0', silent: !withAlert, data: {}, collapseId: null, priority: 'high', presentation: null },
      activity: { ...base, timestamp: 1_770_000_000, ...activity },
    },
  })

// spec: activities/payload
test('the payload of each event of a Live Activity has what Apple names for it, without a msgId', () => {
  const contentState = { home: 1 }
  const shown = { alert: { ...alert.en, sound: 'default' } }
  const common = { timestamp: 1_770_000_000, 'content-state': contentState }
  const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
  expect(json(payloadOf({ event: 'start', contentState, attributes: { home: 'Graz' } }, true))).toEqual({
    aps: { ...common, event: 'start', 'attributes-type': 'MatchAttributes', attributes: { home: 'Graz' }, 'input-push-token': 1, ...shown },
  })
  expect(json(payloadOf({ event: 'update', contentState, staleAt: '2026-02-02T02:40:00.900Z', relevanceScore: 75 }))).toEqual({
    aps: { ...common, event: 'update', 'stale-date': 1_770_000_000, 'relevance-score': 75 },
  })
  expect(json(payloadOf({ event: 'end', contentState, dismissAt: '2026-02-02T02:41:00.000Z' }, true))).toEqual({
    aps: { ...common, event: 'end', 'dismissal-date': 1_770_000_060, ...shown },
  })
})

// spec: activities/payload
test('a long alert of a Live Activity is cut, so that the state fits beside it', () => {
  const activity: LiveActivity = { ...base, event: 'update', contentState: { text: 'x'.repeat(3_000) }, timestamp: 1 }
  const send = {
    campaignId: '6b0101fa670fb6323e3094c0',
    silent: false,
    data: {},
    collapseId: null,
    priority: 'high',
    presentation: null,
    activity,
  } as const
  const encoded = encodePush('ios', { msgId: 'm', entry: { title: 'T', body: 'y'.repeat(2_000) }, send }, 'token', 60)
  expect(encoded.ok && Buffer.byteLength(encoded.body)).toBe(4_096)
  expect(encoded.ok && (JSON.parse(encoded.body) as { aps: object }).aps).toMatchObject({ 'content-state': activity.contentState })
})
