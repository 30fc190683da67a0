import { join } from 'node:path'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { expect, test } from 'vitest'
import { startPlatform } from '../platform.ts'
import { contentOf, importFile, manyRows, putFile, startImport, type Report } from '../chaos/import-file.ts'
import { onDatabase } from '../chaos/platform.ts'
import { play } from '../chaos/scenario.ts'
import { killDuringImport } from '../chaos/scenarios/kill-import.ts'
import { findInFiles, findInTexts } from '../chaos/traces.ts'

const herald = await startPlatform({ LOG_LEVEL: 'trace' })

/** Reads the devices of an app and gives a file to import: a line of JSON for each device, with its user. */
async function linesOf(tenant: Tenant): Promise<Buffer> {
  const rows = await contentOf(herald, tenant.appId)
  const lines = rows.map((row) => {
    const address =
      row['platform'] === 'web'
        ? { endpoint: row['address'], keys: { p256dh: row['p256dh'], auth: row['auth'] } }
        : { token: row['address'] }
    const said = {
      platform: row['platform'],
      ...address,
      externalId: row['external_id'],
      tags: row['tags'],
      language: row['language'],
      timezone: row['timezone'],
      country: row['country'],
      appVersion: row['app_version'],
      osVersion: row['os_version'],
      deviceModel: row['device_model'],
      ...(row['platform'] === 'web' ? { browser: row['browser'], standalone: row['standalone'] } : {}),
      optedIn: row['opted_in'],
      sessionCount: row['session_count'],
      createdAt: row['created_at'],
      lastActiveAt: row['last_active_at'],
    }
    return JSON.stringify(Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null)))
  })
  return Buffer.from(`${lines.join('\n')}\n`)
}

// spec: administration/import, administration/import-row
test('devices imported into another app have the same fields and users there, and as many are reachable', async () => {
  const [from, to] = [await givenTenant(herald), await givenTenant(herald)]
  for (const platform of ['ios', 'android', 'web'] as const) {
    const devices = await from.makeDevices(platform, 8)
    for (const [index, device] of devices.entries()) {
      const who = index < 6 ? { externalId: `user-${index % 4}` } : {}
      const more = {
        ...who,
        tags: { plan: 'pro', [`${platform}-${index}`]: index, on: true },
        language: 'de',
        timezone: 'Europe/Berlin',
        country: 'DE',
        appVersion: '1.2',
        osVersion: '17',
        deviceModel: 'A "Model", 日本',
      }
      const { id } = await from.register(device, platform === 'web' ? { ...more, browser: 'Chrome', standalone: false } : more)
      if (index === 3) await from.call('PATCH', `/v1/subscriptions/${id}`, { optedIn: false })
    }
  }
  // The database stores microseconds, but `linesOf` writes milliseconds. So the rows get times of full seconds, which both can keep.
  await onDatabase(herald, async (client) => {
    for (const table of ['users', 'subscriptions'])
      await client.query(
        `update audience.${table} set created_at = date_trunc('second', created_at) - interval '40 days',
           last_active_at = date_trunc('second', created_at) - interval '30 days' where app_id = $1`,
        [from.appId],
      )
  })

  const { report } = await importFile(herald, to, await linesOf(from), { format: 'jsonl', web: 'import' })

  expect(report).toMatchObject({ rows: 24, created: 24, rejected: 0, byPlatform: { ios: 8, android: 8, web: 8 }, optedOut: 3 })
  const times = (rows: Record<string, unknown>[]) => rows.map(({ user_created_at: _made, user_active_at: _active, ...row }) => row)
  expect(times(await contentOf(herald, to.appId))).toEqual(times(await contentOf(herald, from.appId)))

  const [theirs, mine] = await Promise.all([from, to].map((tenant) => tenant.call('POST', '/v1/segments/preview', {})))
  expect(mine?.body).toEqual(theirs?.body)
  expect(mine?.body).toMatchObject({ count: 21 })
}, 120_000)

// spec: administration/import-exactly-once
test('an import during which gateway and audience are killed repeatedly ends like one without kills', { timeout: 600_000 }, async () => {
  const { wrong } = await play({ promise: '', run: (scene) => killDuringImport(scene, 4) }, { devices: 6_000, say: () => undefined })

  expect(wrong).toEqual([])
})

// spec: administration/import-known-device, administration/import-dry-run
test('a dry run of an import reports what the import does, and importing again makes no device', async () => {
  const tenant = await givenTenant(herald)
  const file = manyRows(3_000)

  const dry = await importFile(herald, tenant, file, { format: 'csv', dryRun: true })
  expect(await contentOf(herald, tenant.appId)).toEqual([])
  const first = await importFile(herald, tenant, file, { format: 'csv' })
  const content = await contentOf(herald, tenant.appId)
  const second = await importFile(herald, tenant, file, { format: 'csv' })

  const counts = ({ rows, created, updated, kept, rejected, byCode, byPlatform, optedOut, warnings }: Report) => ({
    rows,
    created,
    updated,
    kept,
    rejected,
    byCode,
    byPlatform,
    optedOut,
    warnings,
  })
  expect(counts(first.report)).toEqual(counts(dry.report))
  expect(first.report).toMatchObject({ created: 3_000, kept: 31, rejected: 60, byCode: { bad_quotes: 30, invalid_field: 30 } })
  expect(second.report).toMatchObject({ created: 0, updated: 0, kept: 3_031, rejected: 60 })
  expect(await contentOf(herald, tenant.appId)).toEqual(content)
}, 240_000)

// spec: administration/import-rejected, administration/import-report
test('a file’s wrong rows are rejected with their numbers, skipped web rows not listed, the others imported', async () => {
  const tenant = await givenTenant(herald)
  const wrong: [string | Buffer, string][] = [
    ['ios,"a"b,x', 'bad_quotes'],
    ['ios,a"b,x', 'bad_quotes'],
    ['ios,a\u0000b,x', 'invalid_field'],
    ['ios,good,a\u0000b', 'invalid_field'],
    ['ios,good,null', 'invalid_field'],
    ['ios,good,[object Object]', 'invalid_field'],
    ['ios,good', 'wrong_column_count'],
    ['ios,a:fcm-token,x', 'ios_fcm_token'],
    ['web,,x', 'web_skipped'],
    [Buffer.from([0x69, 0xff, 0xfe, 0x2c, 0x2c]), 'invalid_utf8'],
    [`ios,"${'x'.repeat(10_000_000)}",x`, 'row_too_large'],
    [`android,${'x'.repeat(10_000_000)},x`, 'row_too_large'],
    [`android,${'x'.repeat(5_000)},x`, 'invalid_field'],
    ['ios,"open,x', 'bad_quotes'],
  ]
  const lines = wrong.flatMap(([line], place) => [Buffer.from(line), Buffer.from(`\nandroid,good-${place}:x,user-${place}\n`)])
  const file = Buffer.concat([Buffer.from('platform,token,externalId\n'), ...lines])

  const { report, statuses } = await importFile(herald, tenant, file, { format: 'csv' })

  expect(statuses).toEqual([200])
  expect(report).toMatchObject({ rows: wrong.length * 2, created: wrong.length, rejected: wrong.length, offset: file.length })
  const { body } = await tenant.admin<{ items: { row: number; code: string }[] }>('GET', `/imports/${report.id}/errors`)
  expect(body.items.map(({ row, code }) => [row, code])).toEqual(
    wrong.map(([, code], place) => [place * 2 + 1, code]).filter(([, code]) => code !== 'web_skipped'),
  )
}, 120_000)

// spec: administration/import-report, sending/secrets
test('no token or endpoint from an imported file is in a log, a stored message, an error or the audit', async () => {
  const tenant = await givenTenant(herald)
  const secrets = {
    'written token': 'canary-written-5d1f0c7a',
    'rejected token': 'canary-rejected-71b2e9aa',
    'token of a broken row': 'canary-broken-0c7a5d1f',
    'token as a field': 'canary-field-9aa71b2e',
    'token in a tail': 'canary-tail-b2e9aa71',
    endpoint: 'canary-endpoint-2e9aa71b',
  }
  const lines = [
    JSON.stringify({ platform: 'android', token: secrets['written token'], externalId: 'ann' }),
    JSON.stringify({ platform: 'ios', token: `${secrets['rejected token']}:x` }),
    `{"platform":"ios","token":"${secrets['token of a broken row']}`,
    JSON.stringify({ platform: 'ios', token: 'a', [secrets['token as a field']]: 1 }),
    JSON.stringify({ platform: 'web', endpoint: `http://${secrets.endpoint}.example/`, keys: {} }),
    '',
  ]
  const file = Buffer.from(`${lines.join('\n')}{"platform":"ios","token":"${secrets['token in a tail']} wrong"}`)
  const headerOfCsv = Buffer.from(`platform,${secrets['token as a field']}\nios,${secrets['rejected token']}\n`)

  const refused = await startImport(tenant, { format: 'csv' })
  expect(await putFile(herald, tenant, refused, headerOfCsv)).toBe(422)
  await tenant.admin('DELETE', `/imports/${refused}`)
  const { report } = await importFile(herald, tenant, file, { format: 'jsonl', web: 'import' })

  expect(report).toMatchObject({ created: 1, rejected: 5 })
  const answers = await Promise.all(
    [`/imports/${report.id}`, `/imports/${report.id}/errors`, '/imports', '/audit?action=import.'].map(async (path) =>
      JSON.stringify((await tenant.admin('GET', path)).body),
    ),
  )
  expect(findInTexts(answers, secrets)).toEqual([])
  expect(answers.at(-1)).toContain('import.finished')
  const rows = await onDatabase(herald, async (client) => {
    const { rows: found } = await client.query<{ text: string }>(
      `select i::text as text from audience.imports i where app_id = $1 union all
       select e::text from audience.import_errors e join audience.imports i on i.id = e.import_id where i.app_id = $1 union all
       select a::text from gateway.audit a where app_id = $1`,
      [tenant.appId],
    )
    return found.map(({ text }) => text)
  })
  expect(findInTexts(rows, secrets)).toEqual([])
  for (const directory of ['logs', 'nats']) expect(findInFiles(join(herald.dataDir, directory), secrets).found).toEqual([])
  // This search for the app's id, which is no secret, shows that the search above would have found a secret.
  expect(findInFiles(join(herald.dataDir, 'logs'), { appId: tenant.appId }).found).not.toEqual([])
}, 120_000)

// spec: administration/import
test('the audit has lines for an import’s start and end, none for its data’s uploads', async () => {
  const tenant = await givenTenant(herald)
  const { report } = await importFile(herald, tenant, manyRows(10), { format: 'csv' })
  const cancelled = await startImport(tenant, { format: 'csv' })
  await tenant.admin('DELETE', `/imports/${cancelled}`)

  const { body } = await tenant.admin<{ items: { action: string; subject: { id: string } }[] }>('GET', '/audit?action=import.')

  expect(body.items.map(({ action, subject }) => [action, subject.id])).toEqual([
    ['import.cancelled', cancelled],
    ['import.started', cancelled],
    ['import.finished', report.id],
    ['import.started', report.id],
  ])
})
