import { once } from 'node:events'
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { exportUsers, listFormerDevices, listOpenPushes, readMaskedUser } from '@herald/contracts/calls/audience'
import { exportPushesOfCampaign, exportPushesOfDevice } from '@herald/contracts/calls/tracker'
import { exportDeliveries } from '@herald/contracts/calls/webhooks'
import { Fault, invalidField, notFound, queueUnavailable, tooManyReads } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { ExportedPush } from '@herald/contracts/person'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import type { Tables } from '../../store/tables.ts'
import { adminToken, startGateway } from '../../testing/start-gateway.ts'
import { givenMaskedUser } from '../../testing/peer-answers.ts'
import { startPeers } from '../../testing/start-peers.ts'
import { untilStill } from '../../testing/until-still.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const { db } = await openDatabase<Tables>(testService('gateway', {}), { url: url('gateway'), poolSize: 2 })
afterEach(() => peers.answers.clear())

const givenAppId = async () => (await gateway.givenApp()).appId
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
const auditOf = async (appId: string) =>
  (await db
    .selectFrom('audit')
    .select(['action', 'actor', 'subject'])
    .where('app_id', '=', appId)
    .where('action', 'like', '%exported')
    .execute()) ?? []
const intentsOf = (appId: string) => db.selectFrom('audit_intents').selectAll().where('app_id', '=', appId).execute()

/** Makes a user of an export; `filler` makes the user's line longer. */
const userOf = (n: number, filler = '') => ({
  ...{ id: n.toString(16).padStart(24, '0'), tags: { filler }, language: null, timezone: null, country: null },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', lastActiveAt: '2026-01-01T00:00:00.000Z', subscriptions: [], preferences: {} },
})
/** Answers as audience does: portions of two users each, `count` users in all. */
const portions =
  (count: number, filler = '') =>
  (request: unknown) => {
    const { after } = request as { after: string | null }
    const from = after === null ? 0 : Number.parseInt(after, 16)
    const users = [from + 1, from + 2].filter((n) => n <= count).map((n) => userOf(n, filler))
    return { users, next: from + 2 < count ? users.at(-1)?.id : null }
  }

/** Begins an export and gives its response, of which nothing has been read. */
async function open(path: string): Promise<{ asked: ClientRequest; response: IncomingMessage }> {
  const asked = httpRequest({
    ...{ host: '127.0.0.1', port: gateway.port, agent: false, path: `/v1/admin${path}` },
    headers: { authorization: `Bearer ${adminToken}` },
  })
  asked.on('error', () => undefined)
  onTestFinished(() => void asked.destroy())
  asked.end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.on('error', () => undefined)
  return { asked, response }
}

// spec: administration/export-everybody, administration/export-end, administration/export-addresses
test('an export of users has a line each and a last with their number, which the audit has too', async () => {
  const appId = await givenAppId()
  peers.answers.set(exportUsers.subject, portions(5))
  peers.asked.length = 0
  const segmentId = newId()

  const told = await gateway.ask({
    path: `/v1/admin/apps/${appId}/users/export?addresses=full&segmentId=${segmentId}`,
    headers: { authorization: `Bearer ${adminToken}`, 'x-admin-actor': 'ann' },
  })

  expect(told.status).toBe(200)
  expect(told.headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
  expect(linesOf(told.text)).toEqual([...[1, 2, 3, 4, 5].map((n) => ({ type: 'user', ...userOf(n) })), { type: 'end', count: 5 }])
  expect(peers.asked.map(({ request }) => request)).toMatchObject([
    { appId, segmentId, addresses: 'full', after: null },
    { after: userOf(2).id },
    { after: userOf(4).id },
  ])
  expect(await auditOf(appId)).toEqual([
    { action: 'users.exported', actor: 'ann', subject: { addresses: 'full', segmentId, count: 5, complete: true } },
  ])
})

// spec: administration/export-resumed
test('an export of users can continue after one, with masked tokens unless the operator wants them whole', async () => {
  const appId = await givenAppId()
  peers.answers.set(exportUsers.subject, portions(5))
  peers.asked.length = 0

  const { text } = await gateway.admin('GET', `/apps/${appId}/users/export?after=${userOf(3).id}`)

  expect(linesOf(text)).toMatchObject([{ id: userOf(4).id }, { id: userOf(5).id }, { type: 'end', count: 2 }])
  expect(peers.asked[0]?.request).toEqual({ appId, after: userOf(3).id, addresses: 'masked' })
})

// spec: administration/export-person
test('a user’s export has the user, devices, pushes to present and former devices, open ones once, and webhook deliveries', async () => {
  const appId = await givenAppId()
  const [kept, left, campaign, other] = [givenMaskedUser.subscriptions[0]?.id ?? '', newId(), newId(), newId()]
  const push = (subscriptionId: string, campaignId: string): ExportedPush => ({
    ...{ id: 'place', campaignId, subscriptionId, userId: givenMaskedUser.id, platform: 'ios', variant: null, outcome: 'sent', code: null },
    ...{
      providerCode: null,
      attempts: 1,
      settledAt: '2026-01-01T00:00:00.000Z',
      engagements: [{ kind: 'opened', at: '2026-01-01T00:01:00.000Z' }],
    },
  })
  const open = (campaignId: string) => ({
    ...{ campaignId, subscriptionId: kept, userId: givenMaskedUser.id, platform: 'ios', tries: 1, code: 'timeout', providerCode: null },
    ...{ nextTryAt: null, state: 'retry' },
  })
  const delivery = { id: 'dlv_1', webhookId: newId(), state: 'delivered', createdAt: '2026-01-01T00:00:00.000Z', endedAt: null, events: [] }
  peers.answers.set(readMaskedUser.subject, () => ({ ...givenMaskedUser, preferences: { offers: false } }))
  peers.answers.set(listFormerDevices.subject, () => ({ subscriptionIds: [kept, left], next: null }))
  // The first of the two open pushes gets its outcome before the ledger is read.
  peers.answers.set(listOpenPushes.subject, () => ({ items: [open(campaign), open(other)], nextCursor: null }))
  peers.answers.set(exportPushesOfDevice.subject, (request) => {
    const { subscriptionId, after } = request as { subscriptionId: string; after: string | null }
    if (subscriptionId === left) return { pushes: [push(left, campaign)], next: null }
    return after === null ? { pushes: [], next: 'further' } : { pushes: [push(kept, campaign)], next: null }
  })
  peers.answers.set(exportDeliveries.subject, (request) =>
    (request as { after: number }).after === 0 ? { deliveries: [delivery], next: 7 } : { deliveries: [delivery], next: null },
  )

  const { text, status } = await gateway.admin('GET', `/apps/${appId}/users/${givenMaskedUser.id}/export`)

  expect(status).toBe(200)
  const { subscriptions, preferences: _, ...user } = givenMaskedUser
  expect(linesOf(text)).toEqual([
    { type: 'user', ...user },
    { type: 'subscription', ...subscriptions[0] },
    { type: 'preference', category: 'offers', subscribed: false },
    { type: 'push', ...push(kept, campaign) },
    { type: 'push', ...push(left, campaign) },
    expect.objectContaining({ type: 'push', campaignId: other, outcome: 'open', code: 'timeout', attempts: 1, settledAt: null, id: null }),
    { type: 'webhook_delivery', ...delivery },
    { type: 'webhook_delivery', ...delivery },
    { type: 'end', count: 8 },
  ])
  expect(await auditOf(appId)).toMatchObject([{ action: 'user.exported', subject: { id: givenMaskedUser.id, count: 8, complete: true } }])
})

// spec: administration/export-pushes
test('a campaign’s export has a line for each push; what cannot be exported is refused before the first', async () => {
  const appId = await givenAppId()
  const campaignId = newId()
  peers.campaigns.set(campaignId, appId)
  const path = `/apps/${appId}/campaigns/${campaignId}/pushes/export`
  peers.answers.set(exportPushesOfCampaign.subject, () => ({ pushes: [{ id: 'a' }, { id: 'b' }], next: null }))

  expect(linesOf((await gateway.admin('GET', path)).text)).toEqual([
    { type: 'push', id: 'a' },
    { type: 'push', id: 'b' },
    { type: 'end', count: 2 },
  ])
  expect(await auditOf(appId)).toMatchObject([{ action: 'pushes.exported', subject: { campaignId, count: 2, complete: true } }])
  peers.answers.set(exportPushesOfCampaign.subject, () => null)
  expect((await gateway.admin('GET', path)).status).toBe(404)
  peers.answers.set(exportPushesOfCampaign.subject, () => {
    throw invalidField('after', 'must be the id of a push of an earlier export')
  })
  expect((await gateway.admin('GET', `${path}?after=nonsense`)).body).toMatchObject({ error: { details: [{ path: 'after' }] } })
  expect((await gateway.admin('GET', `/apps/${appId}/campaigns/${newId()}/pushes/export`)).status).toBe(404)
})

// spec: administration/export-end
test('an export asks again when another service is busy or away for a moment, and misses nothing', async () => {
  const appId = await givenAppId()
  const faults = [tooManyReads(0.01), queueUnavailable(), new Fault('database_unavailable', 'away')]
  const answer = portions(5)
  peers.answers.set(exportUsers.subject, (request) => {
    const next = (request as { after: string | null }).after === null ? undefined : faults.shift()
    if (next) throw next
    return answer(request)
  })

  const { text } = await gateway.admin('GET', `/apps/${appId}/users/export`)

  expect(linesOf(text).at(-1)).toEqual({ type: 'end', count: 5 })
  expect(faults).toEqual([])
})

// spec: administration/export-end, administration/export-addresses
test('an export that fails midway has no last line, and the audit says that it was not complete', async () => {
  const appId = await givenAppId()
  const answer = portions(5)
  peers.answers.set(exportUsers.subject, (request) => {
    if ((request as { after: string | null }).after !== null) throw new Error('a mistake of ours')
    return answer(request)
  })

  const { response } = await open(`/apps/${appId}/users/export?addresses=full`)
  const chunks: Buffer[] = []
  response.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise((closed) => void response.once('close', closed))

  expect(response.complete).toBe(false)
  expect(linesOf(Buffer.concat(chunks).toString())).toHaveLength(2)
  await until(async () => (await auditOf(appId)).length > 0)
  expect(await auditOf(appId)).toMatchObject([{ subject: { addresses: 'full', count: 2, complete: false } }])
})

test('an export that is refused before its first line leaves no audit line', async () => {
  const appId = await givenAppId()
  peers.answers.set(exportUsers.subject, () => {
    throw notFound()
  })
  peers.answers.set(readMaskedUser.subject, () => {
    throw notFound()
  })

  expect((await gateway.admin('GET', `/apps/${appId}/users/export?segmentId=${newId()}`)).status).toBe(404)
  expect((await gateway.admin('GET', `/apps/${appId}/users/${newId()}/export`)).status).toBe(404)
  for (const [query, path] of [
    ['after=x', 'after'],
    ['segmentId=x', 'segmentId'],
    ['addresses=all', 'addresses'],
    ['limit=5', 'limit'],
  ])
    expect((await gateway.admin('GET', `/apps/${appId}/users/export?${query}`)).body).toMatchObject({
      error: { code: 'invalid_body', details: [{ path }] },
    })
  expect(await auditOf(appId)).toEqual([])
  expect(await intentsOf(appId)).toEqual([])
})

// spec: limits/heavy-reads
test('an unread export makes fewer than 500 of 2,000 portions; after a disconnect another begins, the audit says incomplete', async () => {
  const appId = await givenAppId()
  peers.answers.set(exportUsers.subject, portions(4_000, 'x'.repeat(50_000)))
  peers.asked.length = 0
  const { asked, response } = await open(`/apps/${appId}/users/export`)
  response.pause()

  await untilStill(() => peers.asked.length)
  // The kernel's buffers hold some megabytes; the complete export would be 2,000 portions and 200 MB.
  expect(peers.asked.length).toBeLessThan(500)
  const second = await gateway.admin('GET', `/apps/${appId}/users/export`)
  expect([second.status, second.headers['retry-after']]).toEqual([429, '2'])
  expect(await intentsOf(appId)).toHaveLength(1)

  asked.destroy()
  await until(async () => (await intentsOf(appId)).length === 0)
  peers.answers.set(exportUsers.subject, portions(1))
  expect((await gateway.admin('GET', `/apps/${appId}/users/export`)).status).toBe(200)
  const lines = await auditOf(appId)
  expect(lines.map(({ subject }) => String(subject['complete'])).toSorted()).toEqual(['false', 'true'])
})

test('a HEAD request for an export is answered 200, begins no export and leaves no audit line', async () => {
  const appId = await givenAppId()
  peers.asked.length = 0

  const told = await gateway.ask({
    method: 'HEAD',
    path: `/v1/admin/apps/${appId}/users/export`,
    headers: { authorization: `Bearer ${adminToken}` },
  })

  expect([told.status, told.text]).toEqual([200, ''])
  expect(peers.asked).toEqual([])
  expect(await auditOf(appId)).toEqual([])
})
