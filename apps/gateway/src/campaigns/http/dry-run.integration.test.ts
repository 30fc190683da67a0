import { dryRun as dryRunOfAudience } from '@herald/contracts/calls/audience'
import { resolveSend } from '@herald/contracts/calls/campaigns'
import { readPace } from '@herald/contracts/calls/tracker'
import type { AudienceDryRun } from '@herald/contracts/dry-run'
import { fault, invalidField, notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { until } from '@herald/testing/until'
import { beforeEach, expect, test } from 'vitest'
import { startGateway } from '../../testing/start-gateway.ts'
import { givenDryRun, givenResolved } from '../../testing/peer-answers.ts'
import { startPeers } from '../../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const { appId, secretKey } = await gateway.givenApp()

beforeEach(() => peers.answers.clear())

const notification = { target: { all: true }, content: { _default: 'en', en: { title: 'Hello', body: 'News' } } }
const ofApp = (body: unknown, app = appId) => gateway.admin('POST', `/apps/${app}/dry-run`, body)
const withKey = (body: unknown, key = secretKey) =>
  gateway.ask({ method: 'POST', path: '/v1/notifications/dry-run', headers: { authorization: `Bearer ${key}` }, body })
const keyWith = async (...scopes: string[]): Promise<string> =>
  String((await gateway.admin('POST', `/apps/${appId}/keys`, { kind: 'secret', name: 'ci', scopes })).body['key'])
const answerOfAudience = (change: Partial<AudienceDryRun>) =>
  peers.answers.set(dryRunOfAudience.subject, () => ({ ...givenDryRun, ...change }))
type Warnings = { code: string; path: string; devices: number | null }[]
const warningsIn = (body: Record<string, unknown>) =>
  (body['warnings'] as Warnings).map(({ code, path, devices }) => `${code} ${path} ${devices}`)

// spec: sending/dry-run, administration/dry-run
test('a dry run takes exactly one of notification, campaign and campaignId, and errors name a field’s path', async () => {
  const campaignId = newId()
  for (const body of [{}, { notification, campaignId }, { notification, campaign: { name: 'Sale', silent: true } }])
    expect(await ofApp(body)).toMatchObject({ status: 422, body: { error: { code: 'invalid_body', details: [{ path: 'notification' }] } } })
  expect(await withKey({ notification, campaignId })).toMatchObject({ status: 422, body: { error: { details: [{ path: 'campaignId' }] } } })
  expect(await ofApp({ notification: { target: { all: true } } })).toMatchObject({
    status: 422,
    body: { error: { details: [{ path: 'notification.content' }] } },
  })
  expect(await ofApp({ campaign: { name: 'Sale', silent: true, segment: { field: 'plan', op: 'eq', value: 1 } } })).toMatchObject({
    status: 422,
    body: { error: { code: 'invalid_segment', details: [{ path: 'campaign.segment.field' }] } },
  })
  for (const samples of [
    { random: 21 },
    { random: 0 },
    { subscriptionIds: [] },
    { subscriptionIds: ['x'] },
    { subscriptionIds: [newId()], seed: 1 },
  ])
    expect((await ofApp({ notification, samples })).status).toBe(422)

  peers.answers.set(resolveSend.subject, () => {
    throw invalidField('content.en', 'is too large for ios')
  })
  const tooLarge = await ofApp({ notification })
  expect(tooLarge.body.error).toMatchObject({
    message: 'notification.content.en is too large for ios',
    details: [{ path: 'notification.content.en' }],
  })
  peers.answers.set(resolveSend.subject, () => {
    throw notFound()
  })
  expect((await ofApp({ campaignId })).status).toBe(404)
  peers.answers.set(resolveSend.subject, () => {
    throw fault('invalid_state', 'The campaign has no content to send.')
  })
  expect((await ofApp({ campaignId })).status).toBe(409)
  expect((await ofApp({ notification }, newId())).status).toBe(404)
})

// spec: sending/dry-run-samples
test('a dry run’s samples show users’ values: without users:read they are refused, and the counts given', async () => {
  const sender = await keyWith('notifications:send')
  const reader = await keyWith('notifications:send', 'users:read')

  expect(await withKey({ notification, samples: { random: 1 } }, sender)).toMatchObject({
    status: 403,
    body: { error: { code: 'forbidden' } },
  })
  expect((await withKey({ notification }, await keyWith('users:read'))).status).toBe(403)
  // Audience chooses no samples when it is asked for none.
  peers.answers.set(dryRunOfAudience.subject, (asked) => {
    const { samples } = asked as { samples: { subscriptionIds?: string[] } }
    return samples.subscriptionIds?.length === 0 ? { ...givenDryRun, samples: [] } : givenDryRun
  })
  const without = await withKey({ notification }, sender)
  expect(without).toMatchObject({ status: 200, body: { samples: [], audience: { devices: 35, users: 30, exact: true } } })
  const bytesOf = ({ body }: { body: Record<string, unknown> }) =>
    (body['bytes'] as { platform: string; locale: string }[]).map(({ platform, locale }) => `${platform} ${locale}`)
  expect(bytesOf(without)).toEqual(['android de'])
  const shown = await withKey({ notification, samples: { random: 1 } }, reader)
  expect(bytesOf(shown)).toEqual(['android de', 'android en'])
  expect(shown.body['samples']).toMatchObject([
    {
      platform: 'android',
      variant: null,
      locale: 'en',
      entry: { title: 'Hello ', body: 'There is news.' },
      payload: { message: { notification: { title: 'Hello ' }, android: { ttl: '3600s' } } },
      limit: 4096,
      skip: null,
      warnings: ['placeholder_empty'],
    },
  ])
  expect(shown.text).not.toContain('token')
})

// spec: sending/dry-run-warnings
test('a dry run’s warnings say what would go wrong, where in the request, and for how many devices', async () => {
  const warned = await withKey({ notification })
  expect(warningsIn(warned.body)).toEqual([
    'placeholder_empty notification.content.en.title null',
    'missing_locale notification.content 1',
    'not_configured providers.apns 10',
    'not_configured providers.fcm 20',
    'not_configured providers.webpush 5',
  ])

  const actions = ['a', 'b', 'c', 'd'].map((id) => ({ id, title: id }))
  const content = { _default: 'en', en: { title: 'Long', body: '語'.repeat(1_700), actions } }
  peers.answers.set(resolveSend.subject, () => ({
    send: { ...givenResolved, content, ttl: 1 },
    target: { kind: 'userIds', userIds: [newId()] },
    startsAt: null,
  }))
  peers.answers.set(readPace.subject, () => ({ pace: { pushes: 1_000, seconds: 100 } }))
  answerOfAudience({
    skips: [{ reason: 'frequency_cap', devices: 25, estimated: null }],
    toSend: 10,
    unknownIds: 1,
    unknownSamples: [2],
    webNeverSeen: 4,
    openCircuits: [{ platform: 'web', environment: '', code: 'credentials_invalid' }],
    locales: [{ variant: '', locale: 'en', byPlatform: { ios: 10, android: 20, web: 5 }, fallback: 0, missing: 0 }],
    samples: [],
  })
  await gateway.admin('PUT', `/apps/${appId}/providers/webpush`, { subject: 'mailto:ops@example.org' })
  const body = { campaign: { name: 'Sale', content: notification.content } }
  const more = await ofApp(body)
  expect(warningsIn(more.body)).toEqual([
    'body_truncated campaign.content.en.body 10',
    'body_truncated campaign.content.en.body 20',
    'body_truncated campaign.content.en.body 5',
    'actions_cut campaign.content.en.actions 20',
    'actions_cut campaign.content.en.actions 5',
    'unknown_ids campaign.target.userIds null',
    'unknown_ids samples.subscriptionIds.2 null',
    'not_configured providers.apns 10',
    'not_configured providers.fcm 20',
    'circuit_open providers.webpush 5',
    'web_never_seen providers.webpush 4',
    'cap_skips_most campaign.bypass.frequencyCap 25',
  ])
  expect(more.body['estimate']).toEqual({ seconds: 1, perSecond: 10, basis: 'recent_sends' })
  for (const { max, limit } of more.body['bytes'] as { max: number; limit: number }[]) expect(max).toBeLessThanOrEqual(limit)

  peers.answers.set(readPace.subject, () => ({ pace: { pushes: 1_000, seconds: 1_000 } }))
  expect(warningsIn((await ofApp(body)).body)).toContain('ttl_below_estimate campaign.ttl 9')
  peers.answers.set(readPace.subject, () => ({ pace: null }))
  expect((await ofApp(body)).body['estimate']).toEqual({ seconds: null, perSecond: null, basis: 'none' })
})

// spec: sending/dry-run
test('a dry run estimated from a sample says so, with its size and each number’s interval', async () => {
  const estimated = { sampleSize: 250_000, interval: [5_900_000, 6_100_000] as [number, number] }
  answerOfAudience({ estimated, skips: [{ reason: 'quiet_hours', devices: 7, estimated }] })
  const { body } = await withKey({ notification })
  expect(body['audience']).toMatchObject({ devices: 35, exact: false, ...estimated })
  expect(body['skips']).toEqual([{ reason: 'quiet_hours', devices: 7, exact: false, ...estimated }])
})

// spec: limits/heavy-reads
test('an app has one dry run at a time: a second is 429 for 2 seconds; other apps go on', async () => {
  const { promise: held, resolve: goOn } = Promise.withResolvers<void>()
  let asked = 0
  peers.answers.set(dryRunOfAudience.subject, async () => {
    asked += 1
    await held
    return givenDryRun
  })
  const first = ofApp({ notification })
  await until(() => asked === 1, { withinMs: 10_000, what: 'a dry run under way' })

  const second = await withKey({ notification })
  expect(second).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } }, headers: { 'retry-after': '2' } })
  const other = await gateway.givenApp()
  const beside = ofApp({ notification }, other.appId)
  await until(() => asked === 2, { withinMs: 10_000, what: 'a dry run of another app' })
  goOn()
  expect([(await first).status, (await beside).status]).toEqual([200, 200])
  expect((await withKey({ notification })).status).toBe(200)
})

// spec: sending/dry-run-estimate, sending/dry-run-warnings
test('a dry run estimates by the send’s rate when recent sends were faster, and warns above a day', async () => {
  const estimateWith = async (perMinute: number, ttl = 60) => {
    const send = { ...givenResolved, ttl, sendRate: { perMinute } }
    peers.answers.set(resolveSend.subject, () => ({ send, target: { kind: 'all' }, startsAt: null }))
    const { body } = await ofApp({ notification })
    return { estimate: body['estimate'], warnings: warningsIn(body) }
  }
  peers.answers.set(readPace.subject, () => ({ pace: { pushes: 1_000, seconds: 100 } }))
  answerOfAudience({ toSend: 200_000 })
  expect((await estimateWith(6_000_000)).estimate).toEqual({ seconds: 20_000, perSecond: 10, basis: 'recent_sends' })
  const slow = await estimateWith(120)
  expect(slow.estimate).toEqual({ seconds: 100_000, perSecond: 2, basis: 'send_rate' })
  // A push's ttl counts from its turn, so the estimate is no reason to warn of the ttl.
  expect(slow.warnings).toContain('rate_over_24_h notification.sendRate.perMinute 27200')
  expect(slow.warnings.join()).not.toContain('ttl_below_estimate')
  peers.answers.set(readPace.subject, () => ({ pace: null }))
  expect(await estimateWith(600)).toMatchObject({ estimate: { seconds: 20_000, perSecond: 10, basis: 'send_rate' } })
})
