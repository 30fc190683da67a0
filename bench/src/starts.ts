// Measures what a start of an app costs the database: npm run bench:starts -- --help
import { makeManyDevices } from '@herald/testing/many-devices'
import { givenTenant } from '@herald/testing/tenant'
import { readWal } from './database-use.ts'
import { startMeasuredHerald } from './measured-herald.ts'
import { readOptions, say } from './options.ts'
import { keep } from './results.ts'

const help = `npm run bench:starts -- [--devices 1000000] [--starts 10000] [--keep]

Makes --devices devices by SQL and starts the apps of --starts random ones (POST /v1/subscriptions/:id/session), 32 at once. After a checkpoint the first
write to a page stores the whole page, so that is measured first, with each kind of wal_compression that the server knows; then the same devices start again.
Prints bytes of WAL a start. --keep writes the result to bench/results/. Run it on a quiet machine.`

const values = readOptions(help, { devices: 1_000_000, starts: 10_000, keep: false })
const herald = await startMeasuredHerald()
try {
  const tenant = await givenTenant(herald)
  const seconds = await makeManyDevices(herald.databaseUrl('audience'), { appId: tenant.appId, count: values.devices })
  say(`${values.devices} devices came in by SQL in ${seconds.toFixed(0)} s`)
  const { database } = herald
  const { rows: kinds } = await database.query<{ kind: string }>(
    `select unnest(enumvals) as kind from pg_settings where name = 'wal_compression'`,
  )
  const results: Record<string, { coldBytes: number; warmBytes: number; pagesEach: number }> = {}
  for (const { kind } of kinds.filter((one) => ['off', 'pglz', 'lz4', 'zstd'].includes(one.kind))) {
    await database.query(`alter system set wal_compression = ${kind}`)
    await database.query('select pg_reload_conf()')
    const { rows } = await database.query<{ id: string }>('select id from audience.subscriptions order by random() limit $1', [
      values.starts,
    ])
    await database.query('checkpoint')
    const [wal, pages] = [await readWal(database), await readPages()]
    await startAll(rows.map(({ id }) => id))
    const [coldWal, coldPages] = [await readWal(database), await readPages()]
    await startAll(rows.map(({ id }) => id))
    const warmWal = await readWal(database)
    const each = (bytes: number) => Math.round(bytes / values.starts)
    results[kind] = {
      coldBytes: each(coldWal - wal),
      warmBytes: each(warmWal - coldWal),
      pagesEach: Math.round(((coldPages - pages) / values.starts) * 100) / 100,
    }
    say(
      `wal_compression ${kind}: ${results[kind].coldBytes} bytes a start on pages untouched since the checkpoint (${results[kind].pagesEach} whole pages), ${results[kind].warmBytes} on others`,
    )
  }
  if (values.keep) keep(`starts-${values.devices}`, { what: `${values.starts} starts of apps beside ${values.devices} devices`, results })

  async function readPages(): Promise<number> {
    const { rows } = await database.query<{ pages: string }>('select wal_fpi as pages from pg_stat_wal')
    return Number(rows[0]?.pages)
  }

  /** Starts the apps of these devices, 32 at once. */
  async function startAll(ids: string[]): Promise<void> {
    const left = ids.values()
    const client = async () => {
      for (const id of left) {
        const { status } = await fetch(`${herald.baseUrl}/v1/subscriptions/${id}/session`, {
          method: 'POST',
          headers: { 'x-app-key': tenant.publicKey, 'content-type': 'application/json' },
          body: '{}',
          signal: AbortSignal.timeout(10_000),
        })
        if (status !== 200) throw new Error(`void: a start was answered ${status}`)
      }
    }
    await Promise.all(Array.from({ length: 32 }, client))
  }
} finally {
  await herald.end()
}
