import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '@herald/testing/until'
import type pg from 'pg'
import { givenManyDevices } from '../crowd.ts'
import { onDatabase, onPlatform } from '../platform.ts'
import { runningProcesses, signalAll } from '../processes.ts'
import type { Scenario } from '../scenario.ts'
import { accepted, checkSends, readStats, send, untilAllSettled, untilAccepted } from '../sends.ts'

const window = 150
const frozenMs = 60_000
const takeoverWithinSeconds = 15

export const freezeDispatcher: Scenario = {
  needsSixProcesses: true,
  promise:
    'The first batch of a frozen dispatcher is taken over within 15 s, the others once the other dispatcher has places; thawed after 60 s the dispatcher sends nothing of them: at most one window of copies, and exact counters.',
  async run(scene) {
    const { devices: count, say, note, check } = scene
    const env = { LOG_LEVEL: 'warn', DISPATCH_WINDOW: String(window), HERALD_INSTANCES: 'dispatcher=2' }
    await onPlatform(env, async ({ herald, tenant }) => {
      const devices = await givenManyDevices({ herald, tenant }, count)
      await tenant.simulator('PUT', '/faults', { latencyMs: 50 })
      const campaign = await send(tenant, 'freeze-dispatcher', devices)
      await untilAccepted(tenant, count * 0.2)

      const pid = runningProcesses(herald.dataDir).get('dispatcher-1')
      if (pid === undefined) throw new Error('there is no dispatcher-1')
      signalAll([pid], 'SIGSTOP')
      const frozenAt = performance.now()
      say(`  froze dispatcher-1 at ${await accepted(tenant)} pushes`)
      const takeover = await onDatabase(herald, (client) => watchTakeover(client, frozenAt))
      await untilAllSettled(tenant, [campaign])
      const secondsToSettle = (performance.now() - frozenAt) / 1000
      await sleep(Math.max(0, frozenAt + frozenMs - performance.now()))
      const before = await readStats(tenant, campaign)
      const acceptedBefore = await accepted(tenant)
      signalAll([pid], 'SIGCONT')
      say('  thawed it')

      // While this send goes on, the thawed dispatcher has the time to do whatever it might do with its old batches.
      const after = await send(tenant, 'freeze-dispatcher-after', devices)
      await untilAllSettled(tenant, [after])
      const acceptedAfter = await accepted(tenant)
      await checkSends(scene, tenant, [campaign, after], window)
      note({ ...takeover, secondsToSettle, sentAfterThaw: acceptedAfter - acceptedBefore })
      check(
        takeover.secondsToFirstTakenAgain <= takeoverWithinSeconds,
        `the first batch was taken over after ${takeover.secondsToFirstTakenAgain.toFixed(1)} s`,
      )
      const stats = await readStats(tenant, campaign)
      check(JSON.stringify(stats.body) === JSON.stringify(before.body), 'the counters moved after the thaw')
      check(
        acceptedAfter - acceptedBefore <= count + window,
        `${acceptedAfter - acceptedBefore - count} pushes more than the second send has came after the thaw`,
      )
    })
  },
}

/**
 * Watches the batches leased now until each is done or taken by another dispatcher. Gives the seconds to the first take-over (lease and sweep) and
 * the last (room for more). Only the frozen dispatcher's batches are taken again.
 */
async function watchTakeover(client: pg.Client, frozenAt: number) {
  const { rows: leased } = await client.query<{ id: string; takes: number }>(
    'select id, takes from audience.batches where done_at is null and lease_until > now()',
  )
  const takesOf = new Map(leased.map(({ id, takes }) => [id, takes]))
  const takenAgainAfter: number[] = []
  await until(
    async () => {
      const { rows } = await client.query<{ id: string; takes: number; done: boolean }>(
        'select id, takes, done_at is not null as done from audience.batches where id = any($1)',
        [[...takesOf.keys()]],
      )
      const again = rows.filter(({ id, takes }) => takes > (takesOf.get(id) ?? 0)).map(({ id }) => id)
      if (again.length > 0) takenAgainAfter.push((performance.now() - frozenAt) / 1000)
      const left = new Set(rows.filter(({ done }) => !done).map(({ id }) => id))
      for (const id of takesOf.keys()) if (!left.has(id) || again.includes(id)) takesOf.delete(id)
      return takesOf.size === 0
    },
    { withinMs: 300_000, what: 'every batch is done or taken over' },
  )
  return { secondsToFirstTakenAgain: takenAgainAfter[0] ?? Infinity, secondsToLastTakenAgain: takenAgainAfter.at(-1) ?? Infinity }
}
