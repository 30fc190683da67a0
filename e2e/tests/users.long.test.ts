import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { makeManyDevices } from '@herald/testing/many-devices'
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { expect, onTestFinished, test } from 'vitest'
import { sharedProcesses } from '../platform.ts'
import { addressOf } from '../chaos/platform.ts'
import { readyPid, signalAll } from '../chaos/processes.ts'
import { givenDevices, ok, pushesOf, untilSettled, textOf, type Json } from './campaigns.ts'

// Users through the complete platform: an operator finds, reads, changes, exports and erases them.

const herald = await sharedProcesses()
const tenant = await givenTenant(herald)

type Line = Json & { type: string; id: string }
const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
async function exported(path: string, of = tenant): Promise<Line[]> {
  const { status, body } = await of.admin<string | Line>('GET', path)
  expect(status).toBe(200)
  const lines = typeof body === 'string' ? linesOf(body) : [body]
  expect(lines.at(-1)).toEqual({ type: 'end', count: lines.length - 1 })
  return lines.slice(0, -1)
}
const ofType = (lines: Line[], type: string) => lines.filter((line) => line.type === type)
const auditOf = async (action: string, of = tenant) =>
  ok(await of.admin<{ items: { subject: Json }[] }>('GET', `/audit?action=${action}`), 200).items.map(({ subject }) => subject)

/** Sends to a user, waits until all pushes have an outcome, and gives the campaign's id. */
async function sendTo(externalId: string, title: string): Promise<string> {
  const body = { target: { externalIds: [externalId] }, content: textOf(title) }
  const { id } = ok(await tenant.call<{ id: string }>('POST', '/v1/notifications', body), 202)
  await untilSettled(tenant, id)
  return id
}

// spec: administration/export-person, administration/former-devices, administration/user-read, administration/masked-addresses
test('a user’s export has the user, device, all pushes, also to former devices, and reports, but no full token', async () => {
  const [phone, tablet, watch] = await givenDevices(tenant, 'ios', 3, () => ({ externalId: 'ann', tags: { plan: 'pro' } }))
  if (!phone || !tablet || !watch) throw new Error('three devices were registered')
  const first = await sendTo('ann', 'to three')
  const [push] = await pushesOf(tenant, first)
  ok(await tenant.call('POST', `/v1/e/o/${push?.msgId}`), 204)
  ok(await tenant.call('POST', `/v1/subscriptions/${phone.id}/login`, { externalId: 'bob' }), 200)
  ok(await tenant.call('DELETE', `/v1/subscriptions/${tablet.id}`), 204)
  const second = await sendTo('ann', 'to one')
  const ofBob = await sendTo('bob', 'to the phone of Bob')

  const lines = await exported(`/users/${phone.userId}/export`)

  expect(ofType(lines, 'user')).toMatchObject([{ id: phone.userId, externalId: 'ann', tags: { plan: 'pro' } }])
  expect(ofType(lines, 'subscription')).toMatchObject([{ id: watch.id, token: `${watch.device.token?.slice(0, 8)}…` }])
  const pushes = ofType(lines, 'push').map(({ campaignId, subscriptionId, outcome }) => ({ campaignId, subscriptionId, outcome }))
  const expected = [
    ...[phone, tablet, watch].map(({ id }) => ({ campaignId: first, subscriptionId: id, outcome: 'sent' })),
    { campaignId: second, subscriptionId: watch.id, outcome: 'sent' },
  ]
  expect(pushes).toHaveLength(4)
  expect(pushes).toEqual(expect.arrayContaining(expected))
  expect(ofType(lines, 'push').flatMap(({ engagements }) => engagements)).toEqual([{ kind: 'opened', at: expect.stringMatching(/Z$/) }])
  const text = JSON.stringify(lines)
  for (const { device } of [phone, tablet, watch]) expect(text).not.toContain(device.token)

  const bob = ok(await tenant.admin<{ items: Json[] }>('GET', '/users?q=bob'), 200).items[0]
  expect(ofType(await exported(`/users/${String(bob?.['id'])}/export`), 'push').map(({ campaignId }) => campaignId)).toEqual([ofBob])
  const shown = ok(await tenant.admin<{ pushes: Json[]; subscriptions: Json[] }>('GET', `/users/${phone.userId}`), 200)
  // The pushes are sorted here because their order may vary: they come newest first by the id of their campaign, and ids that were made in the same
  // second are in no particular order.
  expect(shown.pushes.map(({ campaignId }) => String(campaignId)).toSorted()).toEqual([second, first, first, first].toSorted())
  expect(await auditOf('user.exported')).toMatchObject([{ complete: true }, { id: phone.userId, count: lines.length, complete: true }])
})

// spec: administration/address-search, administration/user-change
test('an operator finds a user by token, changes and erases them, with audit lines; then nothing has the user', async () => {
  const [one] = await givenDevices(tenant, 'android', 1, () => ({ externalId: 'carl' }))
  if (!one) throw new Error('a device was registered')

  const found = ok(await tenant.admin<{ user: Json }>('POST', '/users/search', { token: one.device.token }), 200)
  expect(found.user).toMatchObject({ id: one.userId, externalId: 'carl' })
  const changed = await tenant.admin('PATCH', `/users/${one.userId}`, { tags: { vip: true }, language: 'pt_br' })
  expect(changed).toMatchObject({ status: 200, body: { tags: { vip: true }, language: 'pt-BR', subscriptions: [{ id: one.id }] } })
  const out = await tenant.admin('PATCH', `/subscriptions/${one.id}`, { optedIn: false })
  expect(out).toMatchObject({ status: 200, body: { id: one.id, optedIn: false, user: { id: one.userId } } })
  expect(await tenant.admin('PATCH', `/users/${one.userId}`, { name: 'Carl', language: 'de' })).toMatchObject({
    status: 422,
    body: { error: { code: 'invalid_body', details: [{ path: 'name' }] } },
  })
  ok(await tenant.admin('DELETE', `/users/${one.userId}`), 204)

  for (const path of [`/users/${one.userId}`, `/users/${one.userId}/export`, `/subscriptions/${one.id}`])
    expect([path, (await tenant.admin('GET', path)).status]).toEqual([path, 404])
  expect((await tenant.admin('POST', '/users/search', { token: one.device.token })).status).toBe(404)
  expect(ok(await tenant.admin<{ items: Json[] }>('GET', `/users?q=${one.userId}`), 200).items).toEqual([])
  expect(await auditOf('user.changed')).toEqual([{ id: one.userId }])
  expect(await auditOf('user.erased')).toEqual([{ id: one.userId }])
  expect(await auditOf('device.changed')).toEqual([{ id: one.id }])
})

// spec: administration/export-end
test('an export goes on when audience dies during it, and is complete', async () => {
  const crowd = await givenTenant(herald)
  await makeManyDevices(addressOf(herald, 'audience'), { appId: crowd.appId, count: 12_000 })
  const asked = get(`${herald.baseUrl}/v1/admin/apps/${crowd.appId}/users/export`, {
    headers: { authorization: `Bearer ${herald.adminToken}` },
    agent: false,
  })
  onTestFinished(() => void asked.destroy())
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const killed = readyPid(herald.dataDir, 'audience-1') ?? 0
  let text = ''
  for await (const chunk of response) {
    if (text === '') signalAll([killed], 'SIGKILL')
    text += String(chunk)
  }

  const lines = linesOf(text)
  expect(lines.at(-1)).toEqual({ type: 'end', count: 12_000 })
  expect(new Set(lines.slice(0, -1).map(({ id }) => id)).size).toBe(12_000)
  await until(() => (readyPid(herald.dataDir, 'audience-1') ?? killed) !== killed, { what: 'audience is started again' })
}, 240_000)

// spec: administration/address-search, administration/export-addresses
test('no token that an operator searched for or exported is in a log or in the audit', async () => {
  const [one] = await givenDevices(tenant, 'ios', 1, () => ({ externalId: 'canary' }))
  const token = one?.device.token ?? ''
  expect(token.length).toBeGreaterThan(20)

  ok(await tenant.admin('POST', '/users/search', { token }), 200)
  await tenant.admin('POST', '/users/search', { token, endpoint: token })
  const full = await exported('/users/export?addresses=full')

  expect(JSON.stringify(full)).toContain(token)
  expect(JSON.stringify((await tenant.admin('GET', '/audit')).body)).not.toContain(token)
  const { stdout } = spawnSync('grep', ['-rlF', token, join(herald.dataDir, 'logs')], { encoding: 'utf8' })
  expect(stdout).toBe('')
})
