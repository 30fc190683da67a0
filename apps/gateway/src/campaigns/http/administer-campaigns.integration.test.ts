import * as calls from '@herald/contracts/calls/campaigns'
import { listStats, verifyCampaign } from '@herald/contracts/calls/tracker'
import { notFound, tooManyReads } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { readCursor, writeCursor } from '@herald/contracts/page'
import { noStats } from '@herald/contracts/stats'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { afterEach, expect, test } from 'vitest'
import { ask as askPort } from '../../testing/ask.ts'
import { adminToken, startGateway } from '../../testing/start-gateway.ts'
import { givenCampaign } from '../../testing/peer-answers.ts'
import { startPeers } from '../../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const { appId, secretKey } = await gateway.givenApp()
afterEach(() => peers.answers.clear())

const { id } = givenCampaign
const path = `/apps/${appId}/campaigns`
const one = `${path}/${id}`
const of = { appId, campaignId: id }
const body = { name: 'Sale', silent: true }
const lastAsked = ({ subject }: { subject: string }) => peers.asked.findLast((asked) => asked.subject === subject)?.request
const told = async (method: string, at: string, sent?: unknown) => {
  const answer = await gateway.admin(method, at, sent)
  return [answer.status, answer.body]
}
const auditOf = async (app: string) => {
  const { body: list } = await gateway.admin('GET', `/apps/${app}/audit`)
  return (list['items'] as { action: string; subject: unknown }[]).map(({ action, subject }) => [action, subject])
}

// spec: administration/campaign-list
test('campaigns can be listed by status, by whether they are transactional and by name, each with its counters', async () => {
  const stats = { ...noStats, queued: 3, sent: 2 }
  peers.answers.set(listStats.subject, () => ({ stats: { [id]: stats } }))

  expect(await told('GET', `${path}?status=sent&transactional=false&q=Sa&limit=5`)).toEqual([
    200,
    { items: [{ ...givenCampaign, stats, approval: null }], nextCursor: null },
  ])
  expect(lastAsked(calls.listCampaigns)).toEqual({ appId, limit: 5, q: 'Sa', status: 'sent', transactional: false })
  expect(lastAsked(listStats)).toEqual({ appId, campaignIds: [id] })
  const times = { from: '2026-11-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z' }
  expect((await told('GET', `${path}?from=${times.from}&to=${times.to}`))[0]).toBe(200)
  expect(lastAsked(calls.listCampaigns)).toEqual({ appId, limit: 100, ...times })
  await gateway.admin('GET', path)
  expect(lastAsked(calls.listCampaigns)).toEqual({ appId, limit: 100 })
})

// spec: administration/campaign-list, limits/list-gaps
test('a list of one platform’s campaigns is read on until its page is full, five times at most', async () => {
  const campaigns = Array.from({ length: 12 }, (_, n) => ({ ...givenCampaign, id: n.toString(16).padStart(24, '0') }))
  const asked: { limit: number; cursor?: string }[] = []
  peers.answers.set(calls.listCampaigns.subject, (request) => {
    const { limit, cursor } = request as { limit: number; cursor?: string }
    asked.push({ limit, ...(cursor === undefined ? {} : { cursor }) })
    const from = cursor === undefined ? 0 : campaigns.findIndex(({ id }) => readCursor(cursor).id === id) + 1
    const items = campaigns.slice(from, from + limit)
    const last = items.at(-1)
    const isLast = last === undefined || from + limit >= campaigns.length
    return { items, nextCursor: isLast ? null : writeCursor({ id: last.id, createdAt: new Date(last.createdAt) }) }
  })
  const onWeb = new Set<string>()
  peers.answers.set(listStats.subject, (request) => {
    const { campaignIds } = request as { campaignIds: string[] }
    return { stats: Object.fromEntries(campaignIds.filter((one) => onWeb.has(one)).map((one) => [one, noStats])) }
  })
  const idsOf = async (query: string) => {
    const { body: page } = await gateway.admin('GET', `${path}?platform=web&${query}`)
    return {
      ids: (page['items'] as { id: string }[]).map((one) => campaigns.findIndex(({ id: each }) => each === one.id)),
      next: String(page['nextCursor']),
    }
  }

  for (const n of [1, 4, 5, 11]) onWeb.add(campaigns[n]?.id ?? '')
  const first = await idsOf('limit=2')
  expect([first.ids, asked.map(({ limit }) => limit)]).toEqual([
    [1, 4],
    [2, 2, 2],
  ])
  expect(lastAsked(listStats)).toMatchObject({ platform: 'web' })
  const rest = await idsOf(`limit=2&cursor=${first.next}`)
  expect([rest.ids, asked.length, rest.next]).toEqual([[5, 11], 7, 'null'])

  onWeb.clear()
  asked.length = 0
  const none = await idsOf('limit=2')
  expect([none.ids, asked.length, readCursor(none.next).id]).toEqual([[], 5, campaigns[9]?.id])
})

// spec: limits/reads-apart
test('when another service is too busy for a read the answer is 429, with when to try again', async () => {
  peers.answers.set(calls.listCampaigns.subject, () => {
    throw tooManyReads(2)
  })
  const answer = await gateway.admin('GET', path)
  expect([answer.status, answer.body.error?.code, answer.headers['retry-after']]).toEqual([429, 'rate_limited', '2'])
  expect(answer.body.error?.message).toContain('2 seconds')
})

test.each([
  ['status=gone', 'status'],
  ['transactional=yes', 'transactional'],
  ['limit=0', 'limit'],
  ['author=', 'author'],
  ['audience=nobody', 'audience'],
  ['platform=symbian', 'platform'],
  ['cursor=nonsense', 'cursor'],
  ['kind=x', 'kind'],
  ['from=yesterday', 'from'],
  ['from=2026-12-01T00:00:00Z&to=2026-11-01T00:00:00Z', 'to'],
])('a list of campaigns with the query %s is refused, and the error names the parameter', async (query, name) => {
  const answer = await gateway.admin('GET', `${path}?${query}`)
  expect([answer.status, answer.body.error?.code, answer.body.error?.details?.[0]?.path]).toEqual([422, 'invalid_body', name])
})

// spec: administration/campaign-read
test('a campaign is read with its counters and rates; rates are null while nothing was sent', async () => {
  expect(await told('GET', one)).toEqual([
    200,
    { ...givenCampaign, approval: null, stats: noStats, rates: { delivery: null, open: null, click: null } },
  ])
  expect(lastAsked(calls.getCampaign)).toEqual(of)
})

// spec: administration/campaign-operations, administration/audit
test('each operation on campaigns, from making to picking a winner, acts on the path’s app and is audited', async () => {
  const app = await gateway.givenApp()
  const at = `/apps/${app.appId}/campaigns`
  const here = { appId: app.appId, campaignId: id }
  await gateway.admin('PATCH', `/apps/${app.appId}`, { settings: { defaultTimezone: 'Europe/Vienna' } })

  expect(await told('POST', at, body)).toEqual([201, { id, status: 'draft' }])
  expect(lastAsked(calls.createCampaign)).toMatchObject({ appId: app.appId, idempotency: null, campaign: body, author: 'administrator' })
  expect(await told('PUT', `${at}/${id}`, body)).toEqual([200, givenCampaign])
  expect(lastAsked(calls.replaceCampaign)).toMatchObject({ ...here, campaign: body })
  const nextAt = '2026-02-03T09:30:10.000Z'
  expect(await told('POST', `${at}/${id}/send`)).toEqual([202, { status: 'scheduled', nextAt }])
  expect(lastAsked(calls.sendCampaign)).toEqual({ ...here, defaultTimezone: 'Europe/Vienna' })
  expect(await told('POST', `${at}/${id}/pause`)).toEqual([200, { status: 'paused' }])
  expect(await told('POST', `${at}/${id}/resume`)).toEqual([200, { status: 'sending' }])
  expect(await told('POST', `${at}/${id}/duplicate`)).toEqual([201, givenCampaign])
  expect(await told('POST', `${at}/${id}/experiment/winner`, { variant: 'b' })).toEqual([202, { id, status: 'sending', nextAt: null }])
  expect(await told('DELETE', `${at}/${id}`)).toEqual([204, {}])
  for (const call of [calls.pauseCampaign, calls.resumeCampaign, calls.deleteCampaign]) expect(lastAsked(call)).toEqual(here)
  expect(lastAsked(calls.duplicateCampaign)).toEqual({ ...here, author: 'administrator' })

  expect((await auditOf(app.appId)).slice(0, 8)).toEqual([
    ['campaign.deleted', { id }],
    ['campaign.winner-picked', { id }],
    ['campaign.duplicated', { id, of: id }],
    ['campaign.resumed', { id }],
    ['campaign.paused', { id }],
    ['campaign.sent', { id }],
    ['campaign.changed', { id }],
    ['campaign.created', { id }],
  ])
})

// spec: campaigns/delay, experiments/winner-delay
test('an operator can send and pick a winner with a delay up to 60 whole seconds; another is 422', async () => {
  expect((await told('POST', `${one}/send`, { delaySeconds: 10 }))[0]).toBe(202)
  expect(lastAsked(calls.sendCampaign)).toMatchObject({ delaySeconds: 10 })
  expect((await told('POST', `${one}/experiment/winner`, { variant: 'b', delaySeconds: 60 }))[0]).toBe(202)
  expect(lastAsked(calls.pickWinner)).toEqual({ ...of, variant: 'b', by: 'administrator', delaySeconds: 60 })
  for (const delaySeconds of [-1, 61, 1.5, '10', null])
    for (const [at, body] of [
      ['send', {}],
      ['experiment/winner', { variant: 'b' }],
    ] as const) {
      const answer = await gateway.admin('POST', `${one}/${at}`, { ...body, delaySeconds })
      expect([answer.status, answer.body.error?.code, answer.body.error?.details?.[0]?.path]).toEqual([422, 'invalid_body', 'delaySeconds'])
    }
})

// spec: campaigns/delay
test('the public API knows no delay: it sends at once', async () => {
  peers.campaigns.set(id, appId)
  const headers = { authorization: `Bearer ${secretKey}` }
  const winner = { method: 'POST', path: `/v1/campaigns/${id}/experiment/winner`, headers, body: { variant: 'b', delaySeconds: 10 } }
  const answer = await gateway.ask(winner)
  expect([answer.status, answer.body.error?.details?.[0]?.path]).toEqual([422, 'delaySeconds'])
  expect((await gateway.ask({ method: 'POST', path: `/v1/campaigns/${id}/send`, headers })).body).toEqual({ status: 'scheduled' })
  expect(lastAsked(calls.sendCampaign)).toEqual({ ...of, defaultTimezone: 'UTC' })
})

// spec: campaigns/unsend, experiments/winner-delay, administration/audit
test('the audit has a line for what was taken back; the line of a winner names its experiment', async () => {
  const app = await gateway.givenApp()
  expect(await told('POST', `/apps/${app.appId}/campaigns/${id}/unsend`)).toEqual([200, { id, status: 'draft' }])
  const experiment = newId()
  peers.answers.set(calls.unsendCampaign.subject, () => ({ id: experiment, status: 'sent' }))
  expect(await told('POST', `/apps/${app.appId}/campaigns/${id}/unsend`)).toEqual([200, { id: experiment, status: 'sent' }])
  expect((await auditOf(app.appId)).slice(0, 2)).toEqual([
    ['campaign.unsent', { id: experiment, winner: id }],
    ['campaign.unsent', { id }],
  ])
})

// spec: sending/rate-changed, administration/audit
test('an operator changes or removes a campaign’s rate; beyond 60 to 6,000,000 is 422, and the audit has it', async () => {
  const app = await gateway.givenApp()
  const path = `/apps/${app.appId}/campaigns/${id}/rate`
  peers.answers.set(calls.changeRate.subject, (request) => ({
    perMinute: (request as { perMinute: number | null }).perMinute,
    etaSeconds: null,
  }))
  for (const perMinute of [60, 6_000_000, null]) {
    expect(await told('POST', path, { perMinute })).toEqual([200, { perMinute, etaSeconds: null }])
    expect(lastAsked(calls.changeRate)).toEqual({ appId: app.appId, campaignId: id, perMinute })
  }
  for (const perMinute of [59, 6_000_001, 100.5, '600']) {
    const answer = await gateway.admin('POST', path, { perMinute })
    expect([answer.status, answer.body.error?.details?.[0]?.path]).toEqual([422, 'perMinute'])
  }
  expect((await gateway.admin('POST', path, {})).status).toBe(422)
  expect((await auditOf(app.appId)).slice(0, 3)).toEqual(Array.from({ length: 3 }, () => ['campaign.rate-changed', { id }]))
})

// spec: administration/cancel-answers
test('a cancel is answered 200 when it is done, and 202 while it is under way', async () => {
  expect(await told('POST', `${one}/cancel`)).toEqual([200, { status: 'cancelled' }])
  for (const status of ['sending', 'paused']) {
    peers.answers.set(calls.endCampaign.subject, () => ({ status }))
    expect(await told('POST', `${one}/cancel`)).toEqual([202, { status, cancelling: true }])
  }
})

// spec: administration/audit
test('a draft’s request repeated with its Idempotency-Key is a replay and leaves no second audit line', async () => {
  const app = await gateway.givenApp()
  const headers = { authorization: `Bearer ${adminToken}`, 'idempotency-key': 'sale' }
  const make = () => askPort(gateway.port, { method: 'POST', path: `/v1/admin/apps/${app.appId}/campaigns`, headers, body })
  const first = await make()
  expect(lastAsked(calls.createCampaign)).toMatchObject({ idempotency: { key: 'sale' } })
  peers.answers.set(calls.createCampaign.subject, () => ({ id, status: 'draft', replayed: true }))
  const again = await make()

  expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([201, first.body, 'true'])
  expect((await auditOf(app.appId)).filter(([action]) => action === 'campaign.created')).toHaveLength(1)
})

// spec: administration/verify
test('an operator can have a campaign counted again; the answer is 404 when the ledger no longer has the campaign', async () => {
  expect((await gateway.admin('GET', `${one}/verify`)).status).toBe(404)
  const verification = { campaignId: id, agrees: true, difference: 0, counters: noStats, ledger: noStats }
  peers.answers.set(verifyCampaign.subject, () => verification)
  expect(await told('GET', `${one}/verify`)).toEqual([200, verification])
  expect(lastAsked(verifyCampaign)).toEqual(of)
})

test('an unknown app or campaign is 404, and the administration’s list of campaigns refuses an API key', async () => {
  expect((await gateway.admin('GET', `/apps/${newId()}/campaigns`)).status).toBe(404)
  peers.answers.set(calls.getCampaign.subject, () => {
    throw notFound()
  })
  expect((await gateway.admin('GET', one)).status).toBe(404)
  const headers = { authorization: `Bearer ${secretKey}` }
  expect((await gateway.ask({ path: `/v1/admin${path}`, headers })).status).toBe(401)
})
