import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { http, removeDataDir, startHerald, toSimulator, type Herald } from '@herald/testing/herald'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { givenManyDevices, type Registered } from '../chaos/crowd.ts'
import { onDatabase } from '../chaos/platform.ts'
import { readyPid, signalAll } from '../chaos/processes.ts'
import { send, untilAllSettled } from '../chaos/sends.ts'
import { isGood, compareWithRecord, type Campaign, type ScenarioResult } from '../chaos/scenario-result.ts'
import { devicesOf, ledgerOf, ok, pushesOf, read, sendCampaign, untilSettled, untilStatus } from './campaigns.ts'

// Six dispatchers use one APNs provider token for each Apple team, and all of them stop when a send is paused.

const dispatchers = [1, 2, 3, 4, 5, 6].map((number) => `dispatcher-${number}`)

let herald: Herald

beforeAll(async () => {
  // The window of pushes is small, so that no dispatcher sends many before the others have begun. There are two gateways, so that dispatchers can ask
  // for tokens at the same moment.
  herald = await startHerald({ env: { HERALD_INSTANCES: 'gateway=2,dispatcher=6', DISPATCH_WINDOW: '50', LOG_LEVEL: 'info' } })
  await until(() => dispatchers.every(readyNow), { withinMs: 30_000, what: 'six dispatchers' })
})
afterEach(() => fetch(`${herald.simulator}/faults`, { method: 'DELETE', headers: toSimulator }))
afterAll(async () => {
  await herald.stop()
  removeDataDir(herald.dataDir)
})

const readyNow = (name: string): number | undefined => readyPid(herald.dataDir, name)

/** Kills dispatchers and waits for the processes that replace them, which have no provider token yet. */
async function replace(names: string[]): Promise<void> {
  const killed = names.map((name) => readyNow(name) ?? 0)
  signalAll(killed, 'SIGKILL')
  const isNew = (pid: number | undefined) => pid !== undefined && !killed.includes(pid)
  await until(() => names.every((name) => isNew(readyNow(name))), { withinMs: 30_000, what: 'new dispatchers' })
}

/** Puts all these apps into the Apple team of the first app: one key for all, and a bundle id for each. Gives the team's id. */
async function shareTeam(tenants: Tenant[]): Promise<string> {
  const teamId = tenants[0]!.appId.slice(-10).toUpperCase()
  let privateKey = ''
  // Adding a bundle id to the team makes a new key, which replaces the key before.
  for (const tenant of tenants) {
    const account = { kind: 'apns', teamId, keyId: 'SHAREDKEY1', bundleId: tenant.bundleId }
    privateKey = (await tenant.simulator<{ privateKey: string }>('POST', '/accounts', account)).privateKey
  }
  for (const tenant of tenants) {
    const credentials = { teamId, keyId: 'SHAREDKEY1', privateKey, bundleId: tenant.bundleId, environment: 'production' }
    ok(await tenant.admin('PUT', '/providers/apns?unchecked=true', credentials), 200)
  }
  return teamId
}

/**
 * Locks the table of tokens while the work runs, until at least five calls of the gateways wait for the lock. So these calls ask for a token at the
 * same moment.
 */
const askedTogether = <T>(work: () => Promise<T>): Promise<T> =>
  onDatabase(herald, async (client) => {
    await client.query('begin; lock table gateway.apns_tokens in exclusive mode')
    const release = async () => {
      const waiting = `select from pg_locks where relation = 'gateway.apns_tokens'::regclass and not granted`
      await until(async () => ((await client.query(waiting)).rowCount ?? 0) >= 5, { withinMs: 30_000, what: 'five that ask' })
      await client.query('commit')
    }
    return (await Promise.all([work(), release()]))[0]
  })

/**
 * Reads the value of a metric, given by the beginning of its line, from each dispatcher that runs now; 0 where a dispatcher does not show the metric
 * yet.
 */
const measuredByEach = (line: string): Promise<number[]> =>
  Promise.all(
    dispatchers.map(async (name) => {
      const { observe } = JSON.parse(readFileSync(join(herald.dataDir, 'ports.json'), 'utf8')) as { observe: Record<string, number> }
      const { body } = await http<string>('GET', `http://127.0.0.1:${observe[name]}/metrics`)
      const found = body.split('\n').find((each) => each.startsWith(`${line} `))
      return Number(found?.slice(line.length) ?? 0)
    }),
  )
const sentByEach = () => measuredByEach('herald_pushes_total{platform="ios",outcome="sent",code=""}')

// spec: providers/apns-provider-token
test('six dispatchers use the same APNs token for a team, also after restarts, and change together to the next', async () => {
  const [first, second, other] = [await givenTenant(herald), await givenTenant(herald), await givenTenant(herald)]
  const team = await shareTeam([first, second])
  const otherTeam = other.appId.slice(-10).toUpperCase()
  const apps: { tenant: Tenant; devices: Registered[] }[] = []
  for (const tenant of [first, second, other]) apps.push({ tenant, devices: await givenManyDevices({ herald, tenant }, 50, ['ios']) })
  await first.simulator('PUT', '/faults', { service: 'apns', latencyMs: 30 })

  /** Sends from every app until all six dispatchers have sent pushes. Gives how many different tokens each team has shown to Apple by then. */
  const sendAll = async (key: string): Promise<Record<string, number>> => {
    const before = await sentByEach()
    const campaigns: Campaign[] = []
    await until(
      async () => {
        const round = `${key} ${campaigns.length}`
        const made = apps.flatMap(({ tenant, devices }) => [1, 2, 3, 4].map((number) => send(tenant, `${round} ${number}`, devices)))
        campaigns.push(...(await Promise.all(made)))
        for (const [place, { tenant }] of apps.entries())
          await untilAllSettled(tenant, campaigns.slice(-12).slice(place * 4, place * 4 + 4))
        return (await sentByEach()).every((sent, place) => sent > before[place]!)
      },
      { withinMs: 30_000, what: 'all six have sent' },
    )
    expect(await compareWithRecord(first, campaigns)).toSatisfy((result: ScenarioResult) => isGood(result, 0))
    type Summary = { providerTokens: Record<string, number>; rejected: object }
    const { providerTokens, rejected } = await first.simulator<Summary>('GET', '/summary?open=false')
    expect(rejected).toEqual({})
    return providerTokens
  }

  expect(await askedTogether(() => sendAll('cold'))).toEqual({ [team]: 1, [otherTeam]: 1 })
  await replace(dispatchers.slice(0, 3))
  expect(await sendAll('half of them new')).toEqual({ [team]: 1, [otherTeam]: 1 })

  // Makes the team's token old enough to be replaced. Six dispatchers that ask at the same moment get the same new token.
  const age = `update gateway.apns_tokens set minted_at = minted_at - interval '51 minutes' where team_id = $1`
  await onDatabase(herald, (client) => client.query(age, [team]))
  await replace(dispatchers)
  expect(await askedTogether(() => sendAll('an old token'))).toEqual({ [team]: 2, [otherTeam]: 1 })
})

/** Waits until no push has been accepted for a second, which a paused send reaches when the pushes on their way are answered. */
async function untilAtRest(tenant: Tenant): Promise<void> {
  const accepted = async () => (await tenant.simulator<{ accepted: { total: number } }>('GET', '/summary?open=false')).accepted.total
  let [last, since] = [await accepted(), Date.now()]
  await until(
    async () => {
      const now = await accepted()
      if (now !== last) [last, since] = [now, Date.now()]
      return Date.now() - since > 1_000
    },
    { what: 'a second without a push' },
  )
}

// spec: campaigns/pause, campaigns/resume, campaigns/cancel-under-way
test('a paused send of six dispatchers stops; a resume sends the rest once, a cancel skips the rest', async () => {
  const tenant = await givenTenant(herald)
  const count = 3_000
  const devices = await givenManyDevices({ herald, tenant }, count, ['android'])
  await tenant.simulator('PUT', '/faults', { service: 'fcm', latencyMs: 200 })
  /** Starts a send and waits until more than 300 of its pushes are sent and at least two dispatchers work on batches. */
  const underWay = async () => {
    const id = await sendCampaign(tenant, {}, 'sending')
    await until(
      async () => {
        const { queued, sent } = (await read(tenant, id)).stats
        const atWork = (await measuredByEach('herald_batches_in_work')).filter((batches) => batches > 0).length
        return queued === count && sent > 300 && atWork > 1
      },
      { withinMs: 30_000, what: 'a send in the hands of several' },
    )
    return id
  }
  const change = (id: string, what: string) => tenant.admin('POST', `/campaigns/${id}/${what}`)
  const expectCancelled = async (id: string) => {
    const { stats } = await untilStatus(tenant, id, 'cancelled')
    const sent = await pushesOf(tenant, id)
    expect(new Set(devicesOf(sent)).size).toBe(sent.length)
    expect(stats).toMatchObject({ queued: count, sent: sent.length, failed: 0, skipped: count - sent.length })
    expect(await ledgerOf(tenant, id, '&outcome=skipped&code=cancelled')).toHaveLength(count - sent.length)
    expect(stats.skipped).toBeGreaterThan(0)
    expect(await tenant.admin('GET', `/campaigns/${id}/verify`)).toMatchObject({ status: 200, body: { agrees: true } })
  }

  const paused = await underWay()
  expect(ok(await change(paused, 'pause'), 200)).toEqual({ status: 'paused' })
  await untilAtRest(tenant)
  expect((await pushesOf(tenant, paused)).length).toBeLessThan(count)
  expect(ok(await change(paused, 'resume'), 200)).toEqual({ status: 'sending' })
  expect(await untilSettled(tenant, paused)).toMatchObject({ queued: count, sent: count, failed: 0, skipped: 0 })
  expect(devicesOf(await pushesOf(tenant, paused))).toEqual(devices.map(({ id }) => id).toSorted())

  const cancelled = await underWay()
  expect(ok(await change(cancelled, 'cancel'), 202)).toEqual({ status: 'sending', cancelling: true })
  await expectCancelled(cancelled)

  const cancelledInPause = await underWay()
  ok(await change(cancelledInPause, 'pause'), 200)
  expect(ok(await change(cancelledInPause, 'cancel'), 202)).toEqual({ status: 'paused', cancelling: true })
  await expectCancelled(cancelledInPause)
})
