import type { OwnedDevice } from '@herald/contracts/person'
import { newId } from '@herald/contracts/ids'
import { removeDataDir, startHerald, type Herald } from '@herald/testing/herald'
import { givenTenant, type Device, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onDatabase } from '../chaos/platform.ts'
import { readyPid, signalAll } from '../chaos/processes.ts'
import { recordedPushes, type Push } from '../chaos/scenario-result.ts'
import { givenDevices, ledgerOf, ok, untilSettled } from './campaigns.ts'

let herald: Herald
beforeAll(async () => {
  herald = await startHerald({ env: { HERALD_INSTANCES: 'audience=2,dispatcher=2', LOG_LEVEL: 'debug' } })
})
afterAll(async () => {
  await herald.stop()
  removeDataDir(herald.dataDir)
})

type Aps = { timestamp: number; event: string; 'content-state': { goals: number }; alert?: { title: string } }
const apsOf = ({ payload }: Push) => (payload as { aps: Aps }).aps
const attributesType = 'MatchAttributes'
const send = async (tenant: Tenant, body: Record<string, unknown>) =>
  ok(await tenant.call<{ id: string }>('POST', '/v1/live-activities', { attributesType, ...body }), 202).id
const update = (tenant: Tenant, goals: number, more = {}) =>
  send(tenant, { activityId: 'match-3', event: 'update', contentState: { goals }, ...more })

/** At the simulator the token of an activity is that of a further device, which is not registered. */
const tokensOf = (tenant: Tenant, count: number) => tenant.makeDevices('ios', count)
async function pushesTo(tenant: Tenant, tokens: Device[]): Promise<Push[]> {
  const ids = new Set(tokens.map(({ id }) => id))
  const found: Push[] = []
  for await (const push of recordedPushes(tenant)) if (ids.has(push.deviceId)) found.push(push)
  return found
}

// spec: activities/request, activities/reach, activities/dead-token, activities/token-secret
test(
  'an activity is started, updated and ended; a dead token leaves its device reachable, and no log has a token',
  { timeout: 180_000 },
  async () => {
    const tenant = await givenTenant(herald)
    const devices = await givenDevices(tenant, 'ios', 3)
    const [starts, activities] = [await tokensOf(tenant, 3), await tokensOf(tenant, 3)]
    for (const [place, { id }] of devices.entries()) {
      const put = (path: string, body: object) =>
        tenant.call('PUT', `/v1/subscriptions/${id}/${path}`, body, { 'x-app-key': tenant.publicKey })
      ok(await put(`activity-start-tokens/${attributesType}`, { token: starts[place]?.token }), 200)
      ok(await put('activities/match-3', { attributesType, token: activities[place]?.token }), 200)
    }
    const alert = { _default: 'en', en: { title: 'Graz – Linz', body: 'The match begins.' } }
    const target = { subscriptionIds: devices.slice(0, 2).map(({ id }) => id) }
    const start = await send(tenant, { activityId: 'match-3', event: 'start', target, attributes: {}, contentState: { goals: 0 }, alert })
    expect(await untilSettled(tenant, start)).toMatchObject({ queued: 2, sent: 2 })
    expect((await pushesTo(tenant, starts)).map(({ headers }) => [headers['topic'], headers['pushType'], headers['priority']])).toEqual(
      Array.from({ length: 2 }, () => [`${tenant.bundleId}.push-type.liveactivity`, 'liveactivity', '10']),
    )

    await tenant.simulator('PUT', `/devices/${activities[0]?.id}/behaviour`, { answer: 'dead' })
    await tenant.simulator('PUT', `/devices/${activities[1]?.id}/behaviour`, { answer: 'bad_token' })
    const first = await update(tenant, 1)
    expect(await untilSettled(tenant, first)).toMatchObject({ queued: 3, sent: 1, failed: 2 })
    expect(new Set((await ledgerOf(tenant, first, '&outcome=failed')).map(({ code }) => code))).toEqual(
      new Set(['token_dead', 'token_invalid']),
    )
    for (const { id } of devices)
      expect(ok(await tenant.admin<OwnedDevice>('GET', `/subscriptions/${id}`), 200)).toMatchObject({ optedIn: true, invalidatedAt: null })
    // The dead tokens are deleted when the batch is finished, a moment after its outcomes are counted.
    const left = () =>
      onDatabase(herald, async (db) => (await db.query('select from audience.activity_tokens where app_id = $1', [tenant.appId])).rowCount)
    await until(async () => (await left()) === 4, { what: 'the dead tokens are deleted' })
    const end = await send(tenant, { activityId: 'match-3', event: 'end', contentState: { goals: 2 } })
    expect(await untilSettled(tenant, end)).toMatchObject({ queued: 1, sent: 1 })
    // The devices themselves still get notifications.
    const note = ok(await tenant.call<{ id: string }>('POST', '/v1/notifications', { target: { all: true }, content: alert }), 202)
    expect(await untilSettled(tenant, note.id)).toMatchObject({ queued: 3, sent: 3 })

    const logs = readdirSync(herald.dataDir, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.log'))
    expect(logs.length).toBeGreaterThan(0)
    for (const file of logs) {
      const text = readFileSync(join(herald.dataDir, file), 'utf8')
      expect([...starts, ...activities].filter(({ token = '' }) => text.includes(token)).map(() => file)).toEqual([])
    }
  },
)

// spec: activities/order, activities/overtaken
test(
  'with dispatchers killed midway every device ends with its activity’s newest state, and none shows an older one',
  { timeout: 240_000 },
  async () => {
    const tenant = await givenTenant(herald)
    const holders = await tokensOf(tenant, 1_500)
    const owner = await givenDevices(tenant, 'ios', 1)
    await onDatabase(herald, async (db) => {
      // One owner has all devices, which a request for each would take minutes to make.
      const ids = holders.map(() => newId(new Date(Date.now() - 60_000))).toSorted()
      await db.query(
        `insert into audience.subscriptions (id, app_id, user_id, platform, address, address_hash, created_at, registered_at)
         select id, $1, $2, 'ios', id, sha256(convert_to(id, 'UTF8')), now() - interval '1 minute', now() from unnest($3::text[]) as id`,
        [tenant.appId, owner[0]?.userId, ids],
      )
      await db.query(
        `insert into audience.activity_tokens (app_id, subscription_id, starts, name, attributes_type, token)
         select $1, id, false, 'match-3', $2, token from unnest($3::text[], $4::text[]) as given(id, token)`,
        [tenant.appId, attributesType, ids, holders.map(({ token }) => token)],
      )
    })
    // APNs takes pushes at once and answers late, so the kill finds pushes without an answer.
    await tenant.simulator('PUT', '/faults', { service: 'apns', latencyMs: 5_000 })
    const sent = [await update(tenant, 1)]
    await until(async () => (await pushesTo(tenant, holders)).length > 0, { what: 'the first update is under way' })
    const names = ['dispatcher-1', 'dispatcher-2']
    const killed = names.map((name) => readyPid(herald.dataDir, name) ?? 0)
    signalAll(killed, 'SIGKILL')
    await tenant.simulator('DELETE', '/faults')
    sent.push(await update(tenant, 2), await update(tenant, 3))
    for (const [place, name] of names.entries())
      await until(() => (readyPid(herald.dataDir, name) ?? killed[place]) !== killed[place] || undefined, {
        withinMs: 30_000,
        what: `a new ${name}`,
      })
    const stats = []
    for (const id of sent) stats.push(await untilSettled(tenant, id))
    expect(stats.at(-1)).toMatchObject({ queued: holders.length, sent: holders.length })
    // What was left of the killed dispatchers' batches was overtaken.
    const overtaken = (await Promise.all(sent.slice(0, -1).map((id) => ledgerOf(tenant, id, '&outcome=skipped')))).flat()
    expect(new Set(overtaken.map(({ code }) => code))).toEqual(new Set(['expired']))

    const byDevice = Map.groupBy(await pushesTo(tenant, holders), ({ deviceId }) => deviceId)
    expect(byDevice.size).toBe(holders.length)
    for (const pushes of byDevice.values()) {
      // iOS shows a push only when its timestamp is not older than that of what is shown.
      const shown = pushes.map(apsOf).reduce<Aps[]>((all, aps) => (aps.timestamp >= (all.at(-1)?.timestamp ?? 0) ? [...all, aps] : all), [])
      const goals = shown.map((aps) => aps['content-state'].goals)
      expect(goals).toEqual(goals.toSorted((one, other) => one - other))
      expect(goals.at(-1)).toBe(sent.length)
    }
  },
)
