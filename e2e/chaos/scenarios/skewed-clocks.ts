import { pathToFileURL } from 'node:url'
import { resolve } from 'node:path'
import { givenManyDevices } from '../crowd.ts'
import { onDatabase, onPlatform } from '../platform.ts'
import type { Scene, Scenario } from '../scenario.ts'
import { send, untilAllSettled } from '../sends.ts'
import { recordedPushes } from '../scenario-result.ts'

const minutes10 = 600
const apps = ['gateway', 'audience', 'campaigns', 'dispatcher', 'tracker', 'webhooks'] as const

/** Gives the HERALD_SKEWS with which the clock of every service is ten minutes off, fast and slow in turn. */
const skewsFrom = (sign: 1 | -1): string => apps.map((app, place) => `${app}=${(place % 2 === 0 ? sign : -sign) * minutes10}`).join(',')

export const skewedClocks: Scenario = {
  needsSixProcesses: true,
  promise:
    'With the clock of every service ten minutes off, fast and slow in turn, attempts come in their time, dead tokens are invalidated, a schedule starts when it should, and every count is exact.',
  async run(scene) {
    for (const seed of scene.seeds) await onSkewed(scene, skewsFrom(seed % 2 === 0 ? -1 : 1))
  },
}

async function onSkewed(scene: Scene, skews: string): Promise<void> {
  const { note, check } = scene
  const preload = pathToFileURL(resolve(import.meta.dirname, '../skew.ts')).href
  await onPlatform({ LOG_LEVEL: 'warn', NODE_OPTIONS: `--import=${preload}`, HERALD_SKEWS: skews }, async ({ herald, tenant }) => {
    const devices = await givenManyDevices({ herald, tenant }, Math.min(scene.devices, 300))
    // Chooses every tenth device, so that the devices that answer `unavailable` are spread over the platforms: a push service with 20 such answers in
    // a row would count as away.
    const everyTenth = (from: number) => devices.filter((_, place) => place % 10 === from)
    const [dead, busy] = [everyTenth(0), everyTenth(5)]
    const behave = (of: typeof devices, behaviour: object) =>
      tenant.simulator('PUT', '/devices/behaviour', { ids: of.map(({ id }) => id), ...behaviour })
    await behave(dead, { answer: 'dead' })
    await behave(busy, { answer: 'unavailable', times: 2 })

    const startedAt = Date.now()
    const campaign = await send(tenant, 'skewed', devices)
    const seconds = await untilAllSettled(tenant, [campaign])
    const scheduledAt = Date.now() + 4_000
    const scheduled = await startAt(tenant, scheduledAt)
    await untilAllSettled(tenant, [scheduled])

    const busyIds = new Set(busy.map(({ id }) => id))
    const first = { arrived: 0, copies: 0, earliestRetry: Number.POSITIVE_INFINITY, latestRetry: 0 }
    let scheduledLateMs = Number.NEGATIVE_INFINITY
    const seen = new Set<string>()
    for await (const { deviceId, msgId, at } of recordedPushes(tenant)) {
      const isScheduled = at >= scheduledAt - 500
      if (seen.has(`${deviceId} ${msgId}`)) first.copies += 1
      seen.add(`${deviceId} ${msgId}`)
      if (isScheduled) scheduledLateMs = Math.max(scheduledLateMs, at - scheduledAt)
      else first.arrived += 1
      if (!isScheduled && busyIds.has(deviceId)) {
        first.earliestRetry = Math.min(first.earliestRetry, at - startedAt)
        first.latestRetry = Math.max(first.latestRetry, at - startedAt)
      }
    }
    const invalidated = await onDatabase(herald, async (client) => {
      const sql = 'select count(*)::int as count from audience.subscriptions where app_id = $1 and invalidated_at is not null'
      return (await client.query<{ count: number }>(sql, [tenant.appId])).rows[0]?.count
    })
    const alive = devices.length - dead.length
    note({ skews, seconds, stats: campaign.stats, scheduled: scheduled.stats, ...first, scheduledLateMs, invalidated })
    check(campaign.status === 'sent' && scheduled.status === 'sent', `not settled: ${campaign.status}, ${scheduled.status}`)
    const expected = { queued: devices.length, sent: alive, failed: dead.length, skipped: 0 }
    check(isLike(campaign.stats, expected), `the counters are ${JSON.stringify(campaign.stats)}, not ${JSON.stringify(expected)}`)
    check(first.arrived === alive && first.copies === 0, `${first.arrived} pushes arrived and ${first.copies} copies, at ${alive} devices`)
    // The third attempt of a push comes after two waits, of at least 1 s and 4 s. If clocks that are ten minutes off mattered, the attempt would come
    // 600 s later, or at once.
    check(first.earliestRetry >= 5_000, `a push was tried for the third time after ${first.earliestRetry} ms`)
    check(first.latestRetry < 120_000, `a push was tried for the third time after ${first.latestRetry} ms only`)
    check(invalidated === dead.length, `${invalidated} devices are invalidated, not ${dead.length}`)
    check(isLike(scheduled.stats, { queued: alive, sent: alive, failed: 0, skipped: 0 }), `scheduled: ${JSON.stringify(scheduled.stats)}`)
    check(scheduledLateMs >= 0 && scheduledLateMs < 120_000, `the scheduled send was over ${scheduledLateMs} ms after its time`)
  })
}

const isLike = (stats: object, expected: object): boolean =>
  Object.entries(expected).every(([name, count]) => Reflect.get(stats, name) === count)

async function startAt(tenant: Parameters<typeof send>[0], at: number): ReturnType<typeof send> {
  const schedule = { type: 'at', at: new Date(at).toISOString() }
  const content = { _default: 'en', en: { title: 'Later', body: 'A push that is sent at its time' } }
  const draft = await tenant.call<{ id: string }>('POST', '/v1/campaigns', { name: 'later', content, schedule })
  if (draft.status !== 201) throw new Error(`POST /v1/campaigns: ${draft.status} ${JSON.stringify(draft.body)}`)
  const sent = await tenant.call('POST', `/v1/campaigns/${draft.body.id}/send`)
  if (sent.status >= 300) throw new Error(`send: ${sent.status} ${JSON.stringify(sent.body)}`)
  return { id: draft.body.id, devices: [], status: 'scheduled', stats: { queued: 0, sent: 0, failed: 0, skipped: 0 } }
}
