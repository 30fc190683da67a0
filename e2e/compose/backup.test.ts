import { startHerald } from '@herald/testing/herald'
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { compose, run } from './compose.ts'
import { registerInside } from './register-inside.ts'

const apps = ['gateway', 'audience', 'campaigns', 'dispatcher', 'tracker', 'webhooks']
const inPostgres = (...command: string[]) => compose(['exec', '-T', 'postgres', ...command], { quiet: true })

// The commands are those of docs/operations.md, Backup and restore.
test('after a restore of a backup during sends, each send ends sent for every device, although NATS is empty', async () => {
  const herald = await startHerald()
  const tenant = await givenTenant(herald)
  const devices = await tenant.makeDevices('android', 1_000)
  await registerInside(tenant, devices)
  await tenant.simulator('PUT', '/faults', { providerTokenUpdates: 1_000, latencyMs: 200 })

  const ids: string[] = []
  let backedUp = false
  const sending = (async () => {
    for (let number = 0; !backedUp || number < 10; number += 1) {
      const { status, body } = await tenant.call<{ id: string }>('POST', '/v1/notifications', {
        target: { all: true },
        content: { _default: 'en', en: { title: 'Backup', body: `Number ${number}` } },
      })
      if (status === 202) ids.push(body.id)
    }
  })()
  await until(() => ids.length >= 5, { withinMs: 30_000, what: 'sends under way' })
  await inPostgres('pg_dump', '-U', 'herald', '-Fc', '-f', '/tmp/herald.dump', 'herald')
  backedUp = true
  await sending

  // From here on only the dump exists: the database is a new one, and the volume of NATS is empty.
  await compose(['stop', ...apps], { quiet: true })
  await compose(['rm', '-f', '-s', 'nats'], { quiet: true })
  await run('docker', ['volume', 'rm', 'herald-test_nats'], { quiet: true })
  await inPostgres('dropdb', '-U', 'herald', '--force', 'herald')
  await inPostgres('createdb', '-U', 'herald', 'herald')
  await compose(['run', '--rm', '--no-deps', 'migrate'], { quiet: true })
  await inPostgres('pg_restore', '-U', 'herald', '-d', 'herald', '--clean', '--if-exists', '--exit-on-error', '/tmp/herald.dump')
  await compose(['up', '-d', '--wait'], { quiet: true })
  await tenant.simulator('PUT', '/faults', { latencyMs: 0 })

  let inTheBackup = 0
  for (const id of ids) {
    const path = `/v1/campaigns/${id}/stats`
    if ((await tenant.call('GET', path)).status === 404) continue
    inTheBackup += 1
    await until(async () => (await tenant.call<{ status: string }>('GET', path)).body.status === 'sent', {
      withinMs: 120_000,
      what: `campaign ${id} is sent`,
    })
    const { stats } = (await tenant.call<{ stats: Record<string, number> }>('GET', path)).body
    expect(stats).toMatchObject({ queued: devices.length, sent: devices.length, failed: 0, skipped: 0 })
    expect((await tenant.admin<{ agrees: boolean }>('GET', `/campaigns/${id}/verify`)).body).toMatchObject({ agrees: true, difference: 0 })
  }
  expect(inTheBackup).toBeGreaterThanOrEqual(5)
})
