import { previewSegment } from '@herald/contracts/calls/audience'
import { getCampaign, replaceCampaign, resolveSend, sendCampaign } from '@herald/contracts/calls/campaigns'
import { fault, queueUnavailable } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { openDatabase } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Tables } from '../store/tables.ts'
import { givenCampaign, givenResolved } from '../testing/peer-answers.ts'
import { adminToken, startGateway } from '../testing/start-gateway.ts'
import { startPeers } from '../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const { db } = await openDatabase<Tables>(testService('gateway', {}), { url: url('gateway'), poolSize: 2 })
const { appId } = await gateway.givenApp()
await gateway.admin('PATCH', `/apps/${appId}`, { settings: { approval: { devices: 1_000 } } })

const counts = (count: number) =>
  peers.answers.set(previewSegment.subject, () => ({ count, byPlatform: { ios: count, android: 0, web: 0 } }))
beforeEach(() => {
  counts(1_001)
  peers.answers.set(getCampaign.subject, (asked) => ({ ...givenCampaign, id: (asked as { campaignId: string }).campaignId }))
})
afterEach(() => peers.answers.clear())

type Headers = Record<string, string>
async function givenSession(by: { token: string } | { key: string }, name?: string): Promise<Headers> {
  const { headers, body } = await gateway.ask({
    method: 'POST',
    path: '/v1/admin/session',
    body: { ...by, ...(name !== undefined && { name }) },
  })
  return { cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '', 'x-csrf-token': String(body['csrfToken']) }
}
const [dana, robin] = [await givenSession({ token: adminToken }, 'Dana'), await givenSession({ token: adminToken }, 'Robin')]
const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` })
const { key } = (await gateway.admin('POST', `/apps/${appId}/admin-keys`, { name: 'pipeline', scopes: ['read', 'send'] })).body as {
  key: string
}

const ask = (who: Headers, method: string, id: string, more = '', body?: unknown) =>
  gateway.ask({ method, path: `/v1/admin/apps/${appId}/campaigns/${id}${more}`, headers: who, body })
const send = async (who: Headers, id: string) => {
  const { status, body } = await ask(who, 'POST', id, '/send', { delaySeconds: 10 })
  return { status, body }
}
const approvalIn = async (who: Headers, id: string) => (await ask(who, 'GET', id)).body['approval']
const sentOf = (id: string) =>
  peers.asked.filter(({ subject, request }) => subject === sendCampaign.subject && (request as { campaignId: string }).campaignId === id)
    .length
const auditOf = async (id: string) => {
  const { body } = await gateway.admin('GET', `/apps/${appId}/audit?action=campaign.&subjectId=${id}`)
  return (body['items'] as { action: string; actor: string }[]).map(({ action, actor }) => `${actor} ${action}`)
}
const asked = { status: 'draft', nextAt: null, approval: { askedBy: 'Dana', devices: 1_001, byYou: true } }

// spec: administration/approval, administration/audit
test('a send to more devices than allowed stays a draft that somebody asked for, until another session sends it', async () => {
  const id = newId()
  expect(await send(dana, id)).toMatchObject({ status: 202, body: asked })
  expect(sentOf(id)).toBe(0)
  expect(await approvalIn(dana, id)).toMatchObject({ askedBy: 'Dana', at: expect.any(String) as string, devices: 1_001, byYou: true })
  expect(await approvalIn(robin, id)).toMatchObject({ askedBy: 'Dana', byYou: false })

  expect(await send(robin, id)).toMatchObject({ status: 202, body: { status: 'scheduled' } })
  expect(sentOf(id)).toBe(1)
  expect(await approvalIn(robin, id)).toBeNull()
  expect(await auditOf(id)).toEqual(['Robin campaign.sent', 'Dana campaign.approval-asked'])
})

// spec: administration/approval
test('a send within the app’s limit, and every one without the setting, goes out with one operator', async () => {
  const id = newId()
  counts(1_000)
  expect((await send(dana, id)).body).toMatchObject({ status: 'scheduled' })
  counts(5_000_000)
  const free = (await gateway.givenApp()).appId
  const told = await gateway.ask({ method: 'POST', path: `/v1/admin/apps/${free}/campaigns/${id}/send`, headers: dana })
  expect(told.body).toMatchObject({ status: 'scheduled' })
  // Backends send by themselves: the limit is one for people.
  const { secretKey } = await gateway.givenApp()
  expect((await gateway.ask({ method: 'POST', path: `/v1/campaigns/${id}/send`, headers: bearer(secretKey) })).body).toMatchObject({
    status: 'scheduled',
  })
})

// spec: administration/approval-second
test('who asked cannot confirm, nor another session of that name, nor the administration token; a key can', async () => {
  const id = newId()
  await send(dana, id)
  for (const who of [dana, await givenSession({ token: adminToken }, 'Dana'), bearer(adminToken)])
    expect(await send(who, id)).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } })
  expect([sentOf(id), await auditOf(id)]).toEqual([0, ['Dana campaign.approval-asked']])
  expect((await send(bearer(key), id)).body).toMatchObject({ status: 'scheduled' })

  const other = newId()
  await send(bearer(key), other)
  expect((await send(await givenSession({ key }, 'Robin'), other)).status).toBe(403)
  expect((await send(dana, other)).body).toMatchObject({ status: 'scheduled' })
})

// spec: administration/approval-changed
test('when a draft that somebody asked to send is changed, nobody asks for it any more', async () => {
  const id = newId()
  await send(dana, id)
  expect((await ask(dana, 'PUT', id, '', { name: 'Sale', silent: true })).status).toBe(200)
  expect(await approvalIn(robin, id)).toBeNull()
  expect((await send(robin, id)).body).toMatchObject({ status: 'draft', approval: { askedBy: 'Robin' } })
  expect((await send(dana, id)).body).toMatchObject({ status: 'scheduled' })
})

// spec: administration/approval-changed
test('while a confirmation is under way the draft cannot change and nobody else confirms; a refusal restores what was asked', async () => {
  const id = newId()
  await send(dana, id)
  let changed: unknown
  peers.answers.set(sendCampaign.subject, async () => {
    const [put, second] = [await ask(dana, 'PUT', id, '', { name: 'Other', silent: true }), await send(bearer(key), id)]
    changed = [put.status, second.status]
    throw fault('invalid_segment', 'The segment is gone.')
  })
  expect((await send(robin, id)).status).toBe(422)
  expect(changed).toEqual([409, 409])
  expect(
    peers.asked.some(
      ({ subject, request }) => subject === replaceCampaign.subject && (request as { campaignId: string }).campaignId === id,
    ),
  ).toBe(false)
  peers.answers.delete(sendCampaign.subject)
  expect((await send(robin, id)).body).toMatchObject({ status: 'scheduled' })
})

test('when nobody knows whether a confirmed send was made, the draft can be confirmed again after half a minute', async () => {
  const id = newId()
  await send(dana, id)
  peers.answers.set(sendCampaign.subject, () => {
    throw queueUnavailable()
  })
  expect((await send(robin, id)).status).toBe(503)
  peers.answers.delete(sendCampaign.subject)
  expect((await send(robin, id)).status).toBe(409)
  await sql`update approvals set confirming_until = now() - interval '1 second' where campaign_id = ${id}`.execute(db)
  expect((await send(robin, id)).body).toMatchObject({ status: 'scheduled' })
})

test('for an approval the devices of a draft’s segment are counted; a draft that cannot be sent needs none', async () => {
  const id = newId()
  const segment = { field: 'tags.plan', op: 'eq', value: 'gold' }
  peers.answers.set(resolveSend.subject, () => ({ send: givenResolved, target: { kind: 'segment', segment }, startsAt: null }))
  await send(dana, id)
  expect(peers.asked.findLast(({ subject }) => subject === previewSegment.subject)?.request).toEqual({ appId, segment })

  peers.answers.set(resolveSend.subject, () => {
    throw fault('invalid_state', 'The campaign has no content.')
  })
  const empty = newId()
  expect((await send(dana, empty)).status).toBe(409)
  expect(await approvalIn(dana, empty)).toBeNull()
})

// spec: administration/settings
test.each([{ devices: -1 }, { devices: 1.5 }, {}, 7])('the setting approval %j is refused at its path', async (approval) => {
  const refused = await gateway.admin('PATCH', `/apps/${appId}`, { settings: { approval } })
  expect([refused.status, refused.body.error?.details?.[0]?.path.startsWith('settings.approval')]).toEqual([422, true])
})

// spec: administration/approval
test('a scheduled campaign is not sent another way, since its segment may mean other people by now', async () => {
  const id = newId()
  peers.answers.set(getCampaign.subject, () => ({ ...givenCampaign, id, status: 'scheduled' }))
  expect(await send(dana, id)).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } })
  expect(sentOf(id)).toBe(0)
})

// spec: administration/approval-changed
test('only what was asked for is confirmed, and only what was counted is sent', async () => {
  const id = newId()
  const resolved = (target: unknown, revision: number) =>
    peers.answers.set(resolveSend.subject, () => ({ send: givenResolved, target, startsAt: null, revision }))
  const few = { kind: 'segment', segment: { field: 'tags.plan', op: 'eq', value: 'pro' } }
  resolved(few, 3)
  expect((await send(dana, id)).body).toMatchObject({ status: 'draft' })
  // A saved segment that the draft names was replaced after it was asked for.
  resolved({ kind: 'all' }, 3)
  expect((await send(robin, id)).status).toBe(409)
  expect([sentOf(id), await approvalIn(robin, id)]).toEqual([0, null])
  resolved(few, 4)
  expect((await send(robin, id)).body).toMatchObject({ status: 'draft', approval: { askedBy: 'Robin' } })
  expect((await send(dana, id)).body).toMatchObject({ status: 'scheduled' })
  const sent = peers.asked.findLast(({ subject }) => subject === sendCampaign.subject)
  expect(sent?.request).toMatchObject({ seen: { revision: 4, target: few } })
})
