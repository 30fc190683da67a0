import { mintMessageId } from '@herald/auth/message-id'
import { findConverters } from '@herald/contracts/calls/audience'
import { listConversions, recordConversions, type RecordedConversion } from '@herald/contracts/calls/tracker'
import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { afterEach, expect, test } from 'vitest'
import { hmacSecret, startGateway } from '../testing/start-gateway.ts'
import { startPeers } from '../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const { appId, secretKey, publicKey } = await gateway.givenApp()
afterEach(() => peers.answers.clear())

type Result = { id: string | null; status: string; error?: { code: string; details?: { path: string }[] }; attribution?: object }
const post = (path: string, body: unknown, key = secretKey) =>
  gateway.ask({ method: 'POST', path, headers: { authorization: `Bearer ${key}` }, body })
const report = async (events: unknown[]) => {
  const { status, body } = await post('/v1/conversions', { events })
  return { status, body, results: (body['results'] ?? []) as Result[] }
}
const device = newId()
const ofDevice = (event: object, key = publicKey) => post(`/v1/subscriptions/${device}/conversions`, event, key)
const event = (fields: object = {}) => ({ id: newId(), name: 'order', at: '2026-01-31T08:00:00Z', ...fields })
const user = (fields: object = {}) => event({ externalId: 'ada', ...fields })
const answering = (result: RecordedConversion) => peers.answers.set(recordConversions.subject, () => ({ results: [result] }))
const lastAsked = () => peers.asked.findLast(({ subject }) => subject === recordConversions.subject)?.request

// spec: conversions/item-alone, conversions/fields
test('in a list of conversions each wrong one is invalid with its field’s path; the others are counted', async () => {
  const foreign = mintMessageId(hmacSecret, {
    ...{ appId: newId(), campaignId: newId(), userId: newId(), subscriptionId: device, platform: 'ios', variant: '' },
  })
  const wrong: [item: unknown, path: string][] = [
    [user({ at: 'yesterday' }), 'at'],
    [event(), ''],
    [user({ userId: newId() }), ''],
    [user({ id: '' }), 'id'],
    [user({ id: 'x'.repeat(129) }), 'id'],
    [user({ name: 'Order' }), 'name'],
    [user({ value: 0.00001 }), 'value'],
    [user({ value: 1.1e12 }), 'value'],
    [user({ value: '1' }), 'value'],
    [user({ value: 1, currency: 'EURO' }), 'currency'],
    [user({ value: 1, currency: 'eur' }), 'currency'],
    [user({ msgId: 'forged' }), 'msgId'],
    [user({ msgId: foreign }), 'msgId'],
    [user({ more: 1 }), 'more'],
    ['text', ''],
  ]
  const { status, results } = await report([user({ id: 'first' }), ...wrong.map(([item]) => item), user({ value: -12.3456 })])
  expect(status).toBe(200)
  expect(results.map((one) => one.status)).toEqual(['counted', ...wrong.map(() => 'invalid'), 'counted'])
  expect(results[0]).toMatchObject({ id: 'first', status: 'counted', attribution: { how: 'direct' } })
  for (const [index, [, path]] of wrong.entries()) {
    const at = `events.${index + 1}`
    expect(results[index + 1]?.error?.details?.[0]?.path).toBe(path === '' ? at : `${at}.${path}`)
  }
  expect(lastAsked()).toMatchObject({
    appId,
    attribution: { directHours: 24, influencedHours: 1 },
    conversions: [{}, { value: '-12.3456' }],
  })
})

// spec: conversions/report
test('a report names each conversion’s user and what the tracker decided; a wrong list is refused as a whole', async () => {
  peers.answers.set(findConverters.subject, () => ({
    users: [null, { userId: newId(), subscriptionIds: [] }, { userId: newId(), subscriptionIds: [] }],
  }))
  const attribution = { campaignId: newId(), how: 'direct' as const }
  peers.answers.set(recordConversions.subject, () => ({
    results: [
      { status: 'duplicate', attribution },
      { status: 'refused', path: 'name', message: 'is one too many' },
    ],
  }))
  const { results } = await report([user({ id: 'a' }), event({ id: 'b', userId: newId() }), user({ id: 'c' })])
  expect(results).toMatchObject([
    { id: 'a', status: 'unknown_user' },
    { id: 'b', status: 'duplicate', attribution },
    { id: 'c', status: 'invalid', error: { code: 'limit_reached', details: [{ path: 'events.2.name' }] } },
  ])
  for (const body of [{ events: [] }, { events: Array.from({ length: 501 }, () => user()) }, { events: 'x' }, {}])
    expect(await post('/v1/conversions', body)).toMatchObject({ status: 422, body: { error: { code: 'invalid_body' } } })
  expect(await post('/v1/conversions', { events: [user()] }, publicKey)).toMatchObject({ status: 403 })
})

test('500 conversions go to the tracker in portions, and the results keep their order', async () => {
  const events = Array.from({ length: 500 }, (_one, no) => user({ id: `no-${no}` }))
  const { results } = await report(events)
  expect(results.map(({ id }) => id)).toEqual(events.map(({ id }) => id))
})

// spec: conversions/report-device, conversions/public-values
test('a device reports one conversion of its owner; a public key gives a value only when allowed', async () => {
  const one = event({ id: 'mine' })
  expect(await ofDevice(one)).toMatchObject({ status: 200, body: { id: 'mine', status: 'counted' } })
  expect(await ofDevice(event({ value: 5, currency: 'EUR' }))).toMatchObject({
    status: 422,
    body: { error: { details: [{ path: 'value' }] } },
  })
  expect(await ofDevice(event({ value: 5, currency: 'EUR' }), secretKey)).toMatchObject({ status: 200 })
  const settings = { conversions: { publicValues: true }, attribution: { directHours: 48 } }
  expect(await gateway.admin('PATCH', `/apps/${appId}`, { settings })).toMatchObject({
    status: 200,
    body: { settings: { conversions: { publicValues: true }, attribution: { directHours: 48, influencedHours: 1 } } },
  })
  expect(await ofDevice(event({ value: 5, currency: 'EUR' }))).toMatchObject({ status: 200 })
  expect(lastAsked()).toMatchObject({
    attribution: { directHours: 48, influencedHours: 1 },
    conversions: [{ value: '5', currency: 'EUR' }],
  })
  for (const attribution of [{ directHours: 0 }, { directHours: 721 }, { influencedHours: 169 }, { influencedHours: -1 }])
    expect((await gateway.admin('PATCH', `/apps/${appId}`, { settings: { attribution } })).status).toBe(422)
})

// spec: conversions/report-device, conversions/item-alone, conversions/names
test('a wrong conversion of a device is 422 at its field, an unknown device 404, and a 51st name 409', async () => {
  for (const [wrong, path] of [
    [event({ at: 'now' }), 'at'],
    [event({ name: '9' }), 'name'],
    [event({ externalId: 'ada' }), 'externalId'],
    [event({ msgId: 'forged' }), 'msgId'],
  ] as const)
    expect(await ofDevice(wrong)).toMatchObject({ status: 422, body: { error: { code: 'invalid_body', details: [{ path }] } } })
  answering({ status: 'refused', path: 'at', message: 'must lie at most 7 days back' })
  expect(await ofDevice(event())).toMatchObject({ status: 422, body: { error: { details: [{ path: 'at' }] } } })
  answering({ status: 'refused', path: 'name', message: 'is one too many' })
  expect(await ofDevice(event())).toMatchObject({ status: 409, body: { error: { code: 'limit_reached' } } })
  peers.answers.set(findConverters.subject, () => ({ users: [null] }))
  expect(await ofDevice(event())).toMatchObject({ status: 404 })
})

// spec: conversions/person
test('the administration shows a user’s newest conversions, and the export of a person has all of them', async () => {
  const stored = { id: 'order-1', name: 'order', at: '2026-01-31T08:00:00.000Z', value: '5', currency: 'EUR', campaignId: null, how: null }
  peers.answers.set(listConversions.subject, (request) =>
    (request as { after: string | null }).after === null ? { conversions: [stored], next: '1.a' } : { conversions: [stored], next: null },
  )
  expect((await gateway.admin('GET', `/apps/${appId}/users/${newId()}`)).body['conversions']).toEqual([stored])
  const { text } = await gateway.admin('GET', `/apps/${appId}/users/${newId()}/export`)
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string })
  expect(lines.filter(({ type }) => type === 'conversion')).toEqual([
    { type: 'conversion', ...stored },
    { type: 'conversion', ...stored },
  ])
})
