import { setTimeout as sleep } from 'node:timers/promises'
import { givenManyDevices } from '../crowd.ts'
import { onPlatform } from '../platform.ts'
import type { Scenario } from '../scenario.ts'
import { accepted, checkSends, readStats, send, untilAllSettled } from '../sends.ts'

/**
 * The outage lasts this long. It stands for ten minutes: everything goes twenty times as fast. So the waits between attempts (1, 4, 16, 60 s) and
 * between probes (5 s) are a twentieth of their defaults too.
 */
const outageMs = 30_000
const compressed = { PROVIDER_RETRY_SECONDS: '0.05,0.2,0.8,3', OUTAGE_PROBE_SECONDS: '0.25' }
/** A ttl that ends during the outage. It stands for 5 minutes, and is shortened like the outage. */
const shortTtlSeconds = 15

export const outage: Scenario = {
  promise:
    'All three providers away for ten minutes, compressed to half a minute: APNs says nothing, FCM refuses connections, push services answer 503. Every push with ttl left arrives, no push fails, a push whose ttl has ended is skipped as expired, and sending goes on within 30 s.',
  async run(scene) {
    const { note, check } = scene
    await onPlatform({ LOG_LEVEL: 'warn', ...compressed }, async (platform) => {
      const { tenant } = platform
      const devices = await givenManyDevices(platform, Math.min(scene.devices, 3_000))
      await tenant.simulator('PUT', '/devices/behaviour', { answer: 'silent', platform: 'ios' })
      await tenant.simulator('PUT', '/faults', { service: 'fcm', outage: 'refuse' })
      await tenant.simulator('PUT', '/faults', { service: 'web-push', outage: 503 })
      const beganAt = performance.now()
      const patient = await send(tenant, 'patient', devices)
      const hasty = await send(tenant, 'hasty', devices, { target: { all: true }, ttl: shortTtlSeconds })
      await sleep(outageMs - (performance.now() - beganAt))

      const whileAway = [await readStats(tenant, patient), await readStats(tenant, hasty)].map(({ body }) => body.stats)
      const open = await tenant.admin<{ items: { state: string; code: string | null }[] }>('GET', '/pushes?outcome=open&limit=200')
      const states = Object.groupBy(open.body.items, ({ state, code }) => `${state} ${code}`)
      note({ whileAway, openPushes: Object.fromEntries(Object.entries(states).map(([name, of]) => [name, of?.length])) })
      check((await accepted(tenant)) === 0, 'a push was accepted while every provider was away')
      check(
        whileAway.every(({ failed }) => failed === 0),
        'a push failed while every provider was away',
      )
      check(open.body.items.length > 0 && open.body.items.some(({ code }) => code !== null), 'no open push says what it waits for')

      await tenant.simulator('PUT', '/devices/behaviour', { answer: 'ok', platform: 'ios' })
      await tenant.simulator('DELETE', '/faults')
      const backAt = performance.now()
      while ((await accepted(tenant)) === 0 && performance.now() < backAt + 60_000) await sleep(50)
      const firstAfterSeconds = Math.round(performance.now() - backAt) / 1000
      const seconds = await untilAllSettled(tenant, [patient, hasty])
      note({ firstAcceptedAfterSeconds: firstAfterSeconds, settledAfterSeconds: seconds, hasty: hasty.stats })
      await checkSends(scene, tenant, [patient], 0)
      const { status, stats } = hasty
      check(
        status === 'sent' && stats.skipped === devices.length && stats.failed === 0,
        `the short ttl: ${status} ${JSON.stringify(stats)}`,
      )
      const other = await tenant.admin<{ items: { code: string }[] }>('GET', `/pushes?campaignId=${hasty.id}&outcome=skipped&limit=200`)
      check(
        other.body.items.every(({ code }) => code === 'expired'),
        'a push of the short ttl was skipped for another reason than its end',
      )
      // 30 s are allowed, because a probe that was under way when the provider came back may take its full 10 s, and only then the next probe begins.
      check(firstAfterSeconds < 30, `the first push was accepted ${firstAfterSeconds} s after the providers were back`)
    })
  },
}
