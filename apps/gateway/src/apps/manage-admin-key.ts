import { makeApiKey } from '@herald/auth/api-key'
import type { CreateAdminKey } from '@herald/contracts/administration'
import { fault, notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { listed, type Listed } from '@herald/contracts/page'
import { transact } from '@herald/service/postgres'
import type { Kysely } from 'kysely'
import type { Changes } from '../changes.ts'
import type { Page } from '../core/page.ts'
import type { Note } from '../store/audit.ts'
import type { Tables } from '../store/tables.ts'
import { countAdminKeys, deleteAdminKey, findAdminKeys, insertAdminKey, type ShownAdminKey } from './store/admin-keys.ts'
import { getApp, holdApp } from './store/apps.ts'

type Needs = { db: Kysely<Tables>; changes: Changes; note: Note }

/** An app has at most this many administration keys. */
export const mostAdminKeys = 1_000

/** Makes an administration key. Only this answer shows the key's text; the database has only its hash. Faults: not_found, limit_reached. */
export async function createAdminKey(
  { db, note }: Pick<Needs, 'db' | 'note'>,
  appId: string,
  { name, scopes }: CreateAdminKey,
): Promise<ShownAdminKey & { key: string }> {
  const { key, hash, hint } = makeApiKey('admin', appId)
  const shown = await transact(db, async (trx) => {
    await holdApp(trx, appId)
    if ((await countAdminKeys(trx, appId)) >= mostAdminKeys)
      throw fault('limit_reached', `An app has at most ${mostAdminKeys} administration keys. Revoke one first.`)
    const row = await insertAdminKey(trx, { id: newId(), appId, name, scopes, hash, hint })
    await note(trx, appId, { keyId: row.id, name, scopes })
    return row
  })
  return { ...shown, key }
}

export async function listAdminKeys({ db }: Pick<Needs, 'db'>, appId: string, page: Page): Promise<Listed<ShownAdminKey>> {
  await getApp(db, appId)
  return listed(await findAdminKeys(db, appId, page), page.limit, ({ key }) => key)
}

/**
 * Revokes an administration key and ends the sessions that began with it: within 2 s every gateway process answers 401 to both. Fault not_found.
 */
export async function revokeAdminKey({ db, changes, note }: Needs, appId: string, keyId: string): Promise<void> {
  await transact(db, async (trx) => {
    await holdApp(trx, appId)
    if (!(await deleteAdminKey(trx, appId, keyId))) throw notFound()
    await note(trx, appId, { keyId })
  })
  changes.keyRevoked(keyId)
}
