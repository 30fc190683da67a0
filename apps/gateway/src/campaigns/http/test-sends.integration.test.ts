import { listTestDevices, markTestDevice } from '@herald/contracts/calls/audience'
import { sendTest } from '@herald/contracts/calls/campaigns'
import { listPushes } from '@herald/contracts/calls/tracker'
import { fault } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { afterEach, expect, test } from 'vitest'
import { adminToken, startGateway } from '../../testing/start-gateway.ts'
import { startPeers } from '../../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const { appId, secretKey, publicKey } = await gateway.givenApp()
afterEach(() => peers.answers.clear())

const content = { _default: 'en', en: { title: 'Hello', body: 'World' } }
const test1 = { subscriptionId: newId(), content }
const send = (body: unknown, headers: Record<string, string> = {}, app = appId) =>
  gateway.ask({
    method: 'POST',
    path: `/v1/admin/apps/${app}/test-send`,
    headers: { authorization: `Bearer ${adminToken}`, ...headers },
    body,
  })
const pathsOf = ({ body }: Awaited<ReturnType<typeof send>>) => body.error?.details?.map(({ path }) => path)
const auditOf = async (action: string) => {
  const { body } = await gateway.admin('GET', `/apps/${appId}/audit?action=${action}`)
  return (body['items'] as { subject: Record<string, unknown> }[]).map(({ subject }) => subject)
}

// spec: administration/test-send-answer
test('a test is answered with the outcome of each of its pushes', async () => {
  const push = { subscriptionId: test1.subscriptionId, platform: 'ios', outcome: 'failed', code: 'token_invalid', attempts: 1 }
  const row = { ...push, providerCode: '400 BadDeviceToken' }
  peers.answers.set(listPushes.subject, () => ({
    items: [{ ...row, campaignId: newId(), userId: newId(), variant: null, settledAt: '2026-01-31T08:00:00.000Z', engagements: [] }],
    nextCursor: null,
  }))

  const { status, body } = await send({ ...test1, mark: true })

  expect(status).toBe(200)
  expect(body).toEqual({ id: expect.stringMatching(/^[0-9a-f]{24}$/), status: 'sent', results: [row] })
  expect(peers.asked.findLast(({ subject }) => subject === sendTest.subject)?.request).toEqual({
    appId,
    idempotency: null,
    test: { ...test1, mark: true },
  })
})

// spec: administration/test-send, limits/idempotency-replay, administration/audit
test('a test repeated with its Idempotency-Key gets the first answer, as a replay, without a second audit line', async () => {
  const before = await auditOf('campaign.tested')
  const [first, again] = [await send(test1, { 'idempotency-key': 'test-1' }), await send(test1, { 'idempotency-key': 'test-1' })]

  expect(again.body).toEqual(first.body)
  expect([first.headers['idempotent-replayed'], again.headers['idempotent-replayed']]).toEqual([undefined, 'true'])
  expect(await auditOf('campaign.tested')).toEqual([{ id: first.body['id'] }, ...before])
  expect(await send(test1, { 'idempotency-key': '' })).toMatchObject({ status: 422 })
})

// spec: administration/test-send-devices, administration/test-send
test('a test with a wrong field is refused with the name of the field, before any other service is asked', async () => {
  const asked = peers.asked.length
  expect(pathsOf(await send({ content }))).toEqual(['subscriptionId'])
  expect(pathsOf(await send({ ...test1, userIds: [newId()] }))).toEqual(['subscriptionId'])
  expect(pathsOf(await send({ subscriptionId: newId() }))).toEqual(['content'])
  expect(pathsOf(await send({ ...test1, campaignId: newId() }))).toEqual(['campaignId'])
  expect(pathsOf(await send({ ...test1, mark: 'yes' }))).toEqual(['mark'])
  expect(pathsOf(await send({ externalIds: ['null'], content }))).toEqual(['externalIds.0'])
  expect(peers.asked).toHaveLength(asked)
  expect((await send(test1, {}, newId())).status).toBe(404)
})

// spec: administration/test-devices, administration/token
test('an operator can mark a test device; an API key cannot, by the administration’s route or the public one', async () => {
  const id = newId()
  const path = `/v1/admin/apps/${appId}/subscriptions/${id}`
  const marks: unknown[] = []
  peers.answers.set(markTestDevice.subject, (mark) => {
    marks.push(mark)
    return { id, optedIn: true, test: true }
  })
  expect((await gateway.admin('PATCH', `/apps/${appId}/subscriptions/${id}`, { test: true })).status).toBe(200)
  expect(marks).toEqual([{ appId, subscriptionId: id, test: true }])
  expect(await auditOf('device.marked')).toEqual([{ id }])
  for (const headers of [{ authorization: `Bearer ${secretKey}` }, { 'x-app-key': publicKey }])
    expect((await gateway.ask({ method: 'PATCH', path, headers, body: { test: true } })).status).toBe(401)
  const own = await gateway.ask({
    method: 'PATCH',
    path: `/v1/subscriptions/${id}`,
    headers: { 'x-app-key': publicKey },
    body: { optedIn: true, test: true },
  })
  expect(pathsOf(own)).toEqual(['test'])
  expect(pathsOf(await gateway.admin('PATCH', `/apps/${appId}/subscriptions/${id}`, {}))).toEqual([''])
})

// spec: administration/test-devices
test('when an app has as many test devices as allowed, another is 409 and leaves no audit line', async () => {
  const before = await auditOf('device.marked')
  peers.answers.set(markTestDevice.subject, () => {
    throw fault('limit_reached', 'An app has at most 100 test devices.')
  })
  const { status, body } = await gateway.admin('PATCH', `/apps/${appId}/subscriptions/${newId()}`, { test: true })
  expect([status, body.error?.code]).toEqual([409, 'limit_reached'])
  expect(await auditOf('device.marked')).toEqual(before)
})

// spec: administration/lists
test('the list of test devices comes page by page, and is refused for a wrong query or an unknown app', async () => {
  const listed = { items: [{ id: newId() }], nextCursor: 'next' }
  peers.answers.set(listTestDevices.subject, () => listed)
  expect(await gateway.admin('GET', `/apps/${appId}/test-devices?limit=1`)).toMatchObject({ status: 200, body: listed })
  expect(peers.asked.findLast(({ subject }) => subject === listTestDevices.subject)?.request).toEqual({ appId, limit: 1 })
  expect(pathsOf(await gateway.admin('GET', `/apps/${appId}/test-devices?limit=0`))).toEqual(['limit'])
  expect(pathsOf(await gateway.admin('GET', `/apps/${appId}/test-devices?cursor=nonsense`))).toEqual(['cursor'])
  expect(pathsOf(await gateway.admin('GET', `/apps/${appId}/test-devices?q=x`))).toEqual(['q'])
  expect((await gateway.admin('GET', `/apps/${newId()}/test-devices`)).status).toBe(404)
})
