import { mintMessageId } from '@herald/auth/message-id'
import { changePreferences, readPreferences } from '@herald/contracts/calls/audience'
import { findLeavable, listCategories } from '@herald/contracts/calls/campaigns'
import type { Category } from '@herald/contracts/category'
import { fault, notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { afterEach, expect, test } from 'vitest'
import { adminToken, hmacSecret, startGateway } from '../../testing/start-gateway.ts'
import { startPeers } from '../../testing/start-peers.ts'

const nats = await freshNats()
const peers = await startPeers(nats)
const { url } = await freshDatabase()
const gateway = await startGateway({ database: url('gateway'), nats })
const { appId, secretKey, publicKey } = await gateway.givenApp()
afterEach(() => {
  peers.answers.clear()
  peers.asked.length = 0
})

const category = (id: string, fields: Partial<Category> = {}): Category => ({
  ...{ id, name: id, description: null, default: 'in', locked: false, presentation: null },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
  ...fields,
})
const given = (choices: Record<string, boolean>) => {
  const categories = [category('offers'), category('news', { default: 'out' }), category('security', { locked: true })]
  peers.answers.set(listCategories.subject, () => ({ categories }))
  peers.answers.set(readPreferences.subject, () => ({ choices }))
  peers.answers.set(changePreferences.subject, () => ({ choices }))
}
const changes = () => peers.asked.filter(({ subject }) => subject === changePreferences.subject).map(({ request }) => request)
const withKey = { authorization: `Bearer ${secretKey}` }
const [subscriptionId, userId] = [newId(), newId()]
const paths = [
  `/v1/subscriptions/${subscriptionId}/preferences`,
  `/v1/users/${userId}/preferences`,
  '/v1/users/by-external-id/ann/preferences',
]

// spec: categories/read-preferences
test.each(paths)('GET %s shows every category with its default, the own choice or its lock', async (path) => {
  given({ offers: false })
  const { status, body } = await gateway.ask({ method: 'GET', path, headers: withKey })
  expect([status, body]).toEqual([
    200,
    {
      categories: [
        { id: 'offers', name: 'offers', description: null, subscribed: false, locked: false },
        { id: 'news', name: 'news', description: null, subscribed: false, locked: false },
        { id: 'security', name: 'security', description: null, subscribed: true, locked: true },
      ],
    },
  ])
})

// spec: categories/change
test('a change names the person by device, id or external id; a public key only a device’s owner', async () => {
  given({ news: true })
  const body = { categories: { offers: null, news: true } }
  for (const path of paths) expect((await gateway.ask({ method: 'PATCH', path, headers: withKey, body })).status).toBe(200)
  expect(changes().map((asked) => asked)).toMatchObject([
    { appId, of: { subscriptionId }, changes: body.categories, known: ['offers', 'news', 'security'], keyKind: 'secret' },
    { of: { userId } },
    { of: { externalId: 'ann' } },
  ])
  const asPublic = await Promise.all(paths.map((path) => gateway.ask({ method: 'PATCH', path, headers: { 'x-app-key': publicKey }, body })))
  expect(asPublic.map(({ status }) => status)).toEqual([200, 403, 403])
})

// spec: categories/change
test('a locked and an unknown category are refused at their paths, and then nothing is changed', async () => {
  given({})
  for (const value of [false, true, null]) {
    const body = { categories: { offers: false, security: value, gone: true } }
    const { status, body: answer } = await gateway.ask({ method: 'PATCH', path: paths[0] ?? '', headers: withKey, body })
    expect([status, answer.error?.details]).toEqual([
      422,
      [
        { path: 'categories.security', message: 'is locked: nobody can leave it' },
        { path: 'categories.gone', message: 'names no category of this app' },
      ],
    ])
  }
  expect(changes()).toEqual([])
})

// spec: administration/user-preferences
test('an operator changes a person’s choices without making the person known, and a locked category is refused', async () => {
  given({ news: true })
  const headers = { authorization: `Bearer ${adminToken}` }
  const path = `/v1/admin/apps/${appId}/users/${userId}/preferences`
  const put = (categories: object) => gateway.ask({ method: 'PATCH', path, headers, body: { categories } })
  expect((await put({ news: true, offers: null })).body).toMatchObject({
    categories: [
      { id: 'offers', subscribed: true },
      { id: 'news', subscribed: true },
      { id: 'security', locked: true },
    ],
  })
  const { status, body } = await put({ security: false })
  expect([status, body.error?.details?.[0]?.path]).toEqual([422, 'categories.security'])
  expect(changes()).toMatchObject([{ of: { userId }, changes: { news: true, offers: null }, keyKind: 'public' }])
})

const push = { appId, campaignId: newId(), userId, subscriptionId, platform: 'web', variant: '' } as const
const tap = (msgId: string, from = '192.0.2.1') =>
  gateway.ask({ method: 'POST', path: `/v1/u/${msgId}`, headers: { 'x-forwarded-for': from } })

// spec: categories/one-tap
test('one tap takes the user of the push out of the campaign’s category, without a key and without a body', async () => {
  peers.answers.set(findLeavable.subject, () => ({ categoryId: 'offers' }))
  const { status, headers } = await tap(mintMessageId(hmacSecret, push))
  expect(status).toBe(204)
  expect(headers['access-control-allow-origin']).toBe('*')
  expect(peers.asked.find(({ subject }) => subject === findLeavable.subject)?.request).toEqual({ appId, campaignId: push.campaignId })
  expect(changes()).toEqual([{ appId, of: { userId }, changes: { offers: false }, known: ['offers'], keyKind: 'public' }])
})

// spec: categories/one-tap
test('a forged msgId is 400; a signed one is 204 with nothing to leave or the user gone', async () => {
  const msgId = mintMessageId(hmacSecret, push)
  for (const forged of [mintMessageId('another secret', push), `${msgId.slice(0, -1)}${msgId.endsWith('A') ? 'B' : 'A'}`, 'x', 'a.b']) {
    const { status, body } = await tap(forged)
    expect([status, body.error?.code]).toEqual([400, 'invalid_msg_id'])
  }
  peers.answers.set(findLeavable.subject, () => null)
  expect((await tap(msgId)).status).toBe(204)
  expect(changes()).toEqual([])
  peers.answers.set(findLeavable.subject, () => ({ categoryId: 'offers' }))
  peers.answers.set(changePreferences.subject, () => {
    throw notFound()
  })
  expect((await tap(msgId)).status).toBe(204)
  peers.answers.set(changePreferences.subject, () => {
    throw fault('database_unavailable', 'The database is unavailable.')
  })
  expect((await tap(msgId)).status).toBe(503)
})

// spec: categories/one-tap, limits/rate-buckets
test('taps and reports of a client address share the limit of events', async () => {
  const limited = await startGateway({ database: url('gateway'), nats }, { EVENT_RATE_LIMIT: '2' })
  const msgId = mintMessageId(hmacSecret, push)
  const ask = (path: string) => limited.ask({ method: 'POST', path })
  expect((await ask(`/v1/u/${msgId}`)).status).toBe(204)
  expect((await ask(`/v1/e/o/${msgId}`)).status).toBe(204)
  expect((await ask(`/v1/u/${msgId}`)).status).toBe(429)
})
