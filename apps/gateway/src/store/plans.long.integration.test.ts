import { newId } from '@herald/contracts/ids'
import { defaultSettings } from '@herald/contracts/app'
import { settingsForWork } from '@herald/service/postgres'
import { freshDatabase } from '@herald/testing/database'
import { fixStatistics, lookWhileGrowing, openPlans, type Step } from '@herald/testing/plans'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findApiKey, insertApiKey } from '../apps/store/api-keys.ts'
import { findApp, insertApp } from '../apps/store/apps.ts'
import { deleteOldAudit, findAudit, writeOldIntents } from '../audit/store/audit.ts'
import { insertAudit, insertIntent, writeIntent } from './audit.ts'
import { findProvider } from '../apps/store/providers.ts'
import type { Tables } from './tables.ts'

const database = await freshDatabase()
const plans = await openPlans<Tables>(database.ownerUrl, 'gateway', settingsForWork)
afterAll(() => plans.close())
const { db } = plans

const [appId, hash] = [newId(), newId()]
const steps: Record<string, Step> = {
  'a key': { run: async () => expect(await findApiKey(db, hash)).toMatchObject({ appId }) },
  'an app': { run: async () => expect(await findApp(db, appId)).toMatchObject({ id: appId }) },
  'credentials of a provider': {
    run: async () => {
      await findProvider(db, appId, 'apns')
      await findProvider(db, appId, 'webpush')
    },
  },
  'the audit of an app, and what is searched for in it': {
    run: async () => {
      const page = { limit: 5, after: undefined, q: undefined }
      await insertAudit(db, { appId, actor: 'ann', action: 'key.created', requestId: 'r', subject: { keyId: newId() } })
      for (const filter of [{}, { action: 'key.created' }, { from: '2026-01-01T00:00:00.000Z' }]) await findAudit(db, appId, page, filter)
      const intentId = await insertIntent(db, { appId, actor: 'ann', action: 'segment.created', requestId: 'r', subject: {} })
      await writeIntent(db, intentId ?? '', { id: newId() })
      await writeOldIntents(db)
      await deleteOldAudit(db, 400)
    },
  },
  'another app and its key': {
    run: async () => {
      const other = newId()
      await insertApp(db, { id: other, name: 'Shop', settings: defaultSettings })
      await insertApiKey(db, {
        id: newId(),
        appId: other,
        kind: 'public',
        name: 'sdk',
        scopes: [],
        hash: newId(),
        hint: 'abcd',
        publicText: null,
      })
    },
  },
}

/** Adds `count` apps with credentials, `count` keys of the app that is looked up, and `count` lines of the audit of other apps. */
async function grow(count: number): Promise<void> {
  const id = sql`'5' || lpad(to_hex(floor(random() * 1e9)::int), 7, '0') || lpad(to_hex(n), 16, '0')`
  await sql`set session_replication_role = replica`.execute(db)
  await sql`
    insert into audit (id, app_id, actor, action, subject) select ${id}, ${id}, 'ann', 'key.created', '{}' from generate_series(1, ${count}) as n`.execute(
    db,
  )
  await sql`
    with made as (select ${id} as id from generate_series(1, ${count}) as n), apps as (
      insert into apps (id, name, settings) select id, id, '{}' from made
    ), providers as (
      insert into providers (app_id, kind, settings, sealed_private_key) select id, 'apns', '{}', '' from made
    )
    insert into api_keys (id, app_id, kind, name, scopes, hash, hint) select id, ${appId}, 'public', '', '{}', id, '' from made`.execute(db)
  await sql`set session_replication_role = origin`.execute(db)
}

beforeAll(async () => {
  await fixStatistics(db, 'gateway')
  await insertApp(db, { id: appId, name: 'Shop', settings: defaultSettings })
  await insertApiKey(db, { id: newId(), appId, kind: 'secret', name: 'backend', scopes: [], hash, hint: 'abcd', publicText: null })
  await sql`insert into providers (app_id, kind, settings, sealed_private_key) values (${appId}, 'apns', '{"kind":"apns"}', '')`.execute(db)
})

test('look-ups of keys, apps, credentials and audit use an index, from empty to 100,000 rows without statistics', async () => {
  expect(await lookWhileGrowing(plans, steps, grow)).toEqual({ empty: [], few: [], many: [], analysed: [] })
})
