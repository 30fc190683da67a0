import { execFileSync } from 'node:child_process'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '@herald/testing/until'
import { givenManyDevices } from '../crowd.ts'
import { onDatabase, onPlatform } from '../platform.ts'
import { familyOf, logLinesOf, runningProcesses, signalAll } from '../processes.ts'
import type { Scenario } from '../scenario.ts'
import { readStats, send, untilAccepted, untilAllSettled } from '../sends.ts'

/** DISPATCH_WINDOW: so many pushes may be under way. */
const window = 1_000

export const lostRows: Scenario = {
  promise:
    'A database that is restored beside living services loses the sends after the copy and nothing else: within 5 s of its return sends go on, a send that the copy knows is finished, there are no more copies than the window, and the log names what was lost.',
  async run(scene) {
    const { devices: count, say, note, check } = scene
    await onPlatform({ LOG_LEVEL: 'info' }, async (platform) => {
      const { tenant, herald } = platform
      const [most, few] = [Math.min(count, 20_000), 300]
      const many = await givenManyDevices(platform, most, ['ios', 'web'])
      const phones = await givenManyDevices(platform, few, ['android'], {}, most)
      // The send that the copy knows: it waits, since its provider is away.
      await tenant.simulator('PUT', '/faults', { service: 'fcm', outage: 503 })
      const kept = await send(tenant, 'kept', phones, { target: { subscriptionIds: phones.map(({ subscriptionId }) => subscriptionId) } })
      await until(async () => (await readStats(tenant, kept)).body.stats.queued === phones.length, { what: 'the kept send is queued' })

      const data = join(herald.dataDir, 'postgres')
      const copy = join(herald.dataDir, 'postgres-copy')
      const postgres = () => familyOf(runningProcesses(herald.dataDir).get('postgres') ?? 0)
      const frozen = postgres()
      // All writers stand still, so the copy is one moment of the database, which Postgres recovers as after a crash.
      signalAll(frozen, 'SIGSTOP')
      execFileSync('cp', ['-a', data, copy])
      signalAll(frozen, 'SIGCONT')
      rmSync(join(copy, 'postmaster.pid'), { force: true })

      const lost = await send(tenant, 'lost', many)
      await untilAccepted(tenant, many.length * 0.2)
      const starter = herald.starter.pid ?? 0
      signalAll([starter], 'SIGSTOP')
      signalAll(postgres(), 'SIGKILL')
      renameSync(data, `${data}-lost`)
      renameSync(copy, data)
      signalAll([starter], 'SIGCONT')
      say('  the database is the copy from before the second send')
      await until(() => onDatabase(herald, async (client) => (await client.query('select 1')).rowCount === 1), {
        withinMs: 30_000,
        what: 'Postgres is back',
      })
      const backAt = performance.now()
      await tenant.simulator('PUT', '/faults', { service: 'fcm', outage: null })
      const some = many.slice(0, 50)
      // Three sends, since the repeat of a call that failed at the return comes with the next sweep, up to 5 s later.
      const next = await Promise.all(
        [1, 2, 3].map((no) =>
          send(tenant, `next-${no}`, some, { target: { subscriptionIds: some.map(({ subscriptionId }) => subscriptionId) } }),
        ),
      )
      const secondsToAccept = (performance.now() - backAt) / 1_000
      await Promise.any(next.map((one) => untilAllSettled(tenant, [one])))
      const secondsToNext = (performance.now() - backAt) / 1_000
      const named = () =>
        logLinesOf(herald.dataDir, 'dispatcher').filter((line) => line.includes('outcomes were let go') && line.includes(lost.id))
      await until(() => named().length > 0, { withinMs: 30_000, what: 'the log names the lost send' }).catch(() => undefined)
      await untilAllSettled(tenant, [kept, ...next])
      const { status } = await readStats(tenant, lost)

      const summary = await tenant.simulator<{ copies: number; accepted: { total: number } }>('GET', '/summary')
      note({
        secondsToAccept,
        secondsToNext,
        linesOfLostOutcomes: named().length,
        lostStatus: status,
        copies: summary.copies,
        accepted: summary.accepted.total,
      })
      check(secondsToNext <= 5, `the next send was settled ${secondsToNext.toFixed(1)} s after the return`)
      check(named().length > 0, 'the log does not name the lost send')
      check(status === 404, `the lost send answers ${status}`)
      check(summary.copies <= window, `${summary.copies} copies`)
      check(
        kept.status === 'sent' && kept.stats.sent === phones.length,
        `the kept send is ${kept.status} with ${JSON.stringify(kept.stats)}`,
      )
      check(
        next.every(({ stats }) => stats.sent === some.length),
        `the next sends have ${JSON.stringify(next.map(({ stats }) => stats))}`,
      )
    })
  },
}
