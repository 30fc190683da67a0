import { isDeepStrictEqual } from 'node:util'
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { contentOf, importFile, manyRows, startImport, type Report } from '../import-file.ts'
import { onPlatform } from '../platform.ts'
import { readyPid, signalAll } from '../processes.ts'
import type { Scenario, Scene } from '../scenario.ts'

/** The processes to kill in turn: audience writes the rows, the gateway reads the file. */
const victims = ['audience-1', 'gateway-1'] as const

export const killImport: Scenario = {
  needsSixProcesses: true,
  promise: 'An import whose gateway and audience are killed 20 times has the devices, users and counts of a clean run.',
  run: (scene) => killDuringImport(scene, 20),
}

/** Imports a file with `devices` devices into one app without faults and into another while processes are killed, and compares the two apps. */
export async function killDuringImport({ devices: count, say, note, check }: Scene, kills: number): Promise<void> {
  await onPlatform({ LOG_LEVEL: 'info' }, async ({ herald, tenant: calm }) => {
    const file = manyRows(count)
    const clean = await importFile(herald, calm, file, { format: 'csv', onExisting: 'update' })
    say(`  in peace: ${clean.report.rows} rows, ${clean.report.rowsPerSecond} a second`)

    const tenant = await givenTenant(herald)
    // The import is slowed down to this rate, so that it is still under way at each kill.
    const maxRowsPerSecond = Math.max(100, Math.min(20_000, Math.round(clean.report.rows / (kills * 2))))
    const settings = { format: 'csv', onExisting: 'update', maxRowsPerSecond }
    const id = await startImport(tenant, settings)
    const importing = importFile(herald, tenant, file, settings, { id, withinMs: 900_000 })
    let over = false
    importing.then(
      () => (over = true),
      () => (over = true),
    )
    const offsetOf = async () => (await tenant.admin<Report>('GET', `/imports/${id}`)).body?.offset ?? 0
    let killed = 0
    for (let before = 0; killed < kills && !over; killed += 1) {
      const victim = victims[killed % victims.length] ?? 'audience-1'
      const pid = await until(() => readyPid(herald.dataDir, victim), { withinMs: 60_000, what: `${victim} is ready` })
      // Waits until the import has gone on after the last kill.
      before = await until(
        async () => {
          const offset = await offsetOf().catch(() => 0)
          return over || offset > before ? offset : undefined
        },
        { withinMs: 120_000, what: 'the import goes on' },
      )
      signalAll([pid], 'SIGKILL')
      say(`  kill -9 ${victim} at offset ${before}`)
    }
    const { report, statuses } = await importing

    const told = ({ rows, created, updated, kept, rejected, byCode, byPlatform, optedOut, warnings, offset }: Report) => ({
      ...{ rows, created, updated, kept, rejected, byCode, byPlatform, optedOut, warnings, offset },
    })
    note({ rows: report.rows, killed, uploads: statuses.length, clean: told(clean.report), killedReport: told(report) })
    check(killed === kills, `the import was over after ${killed} kills`)
    check(isDeepStrictEqual(told(report), told(clean.report)), 'the reports differ')
    check(report.offset === file.length, `the import ended at ${report.offset} of ${file.length} bytes`)
    const [mine, theirs] = [await contentOf(herald, tenant.appId), await contentOf(herald, calm.appId)]
    check(mine.length === report.created, `${mine.length} devices for ${report.created} created`)
    check(isDeepStrictEqual(mine, theirs), 'devices or users differ')
  })
}
