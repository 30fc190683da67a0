import { makeApiKey } from '@herald/auth/api-key'
import type { CreateKey } from '@herald/contracts/administration'
import { notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { transact } from '@herald/service/postgres'
import type { Kysely } from 'kysely'
import type { Changes } from '../changes.ts'
import { listed, type Listed } from '@herald/contracts/page'
import type { Page } from '../core/page.ts'
import { getApp, holdApp } from './store/apps.ts'
import { deleteApiKey, findApiKeys, insertApiKey, type ShownKey } from './store/api-keys.ts'
import type { Note } from '../store/audit.ts'
import type { Tables } from '../store/tables.ts'

type Needs = { db: Kysely<Tables>; changes: Changes; note: Note }

/** Makes an API key. Only this answer shows a secret key's text; the database has only its hash. Public keys are listed with their text. Fault not_found. */
export async function createKey(
  { db, note }: Pick<Needs, 'db' | 'note'>,
  appId: string,
  { kind, name, scopes }: CreateKey,
): Promise<ShownKey & { key: string }> {
  const { key, hash, hint } = makeApiKey(kind, appId)
  const shown = await transact(db, async (trx) => {
    await holdApp(trx, appId)
    const row = await insertApiKey(trx, { id: newId(), appId, kind, name, scopes, hash, hint, publicText: kind === 'public' ? key : null })
    await note(trx, appId, { keyId: row.id, kind, name, scopes })
    return row
  })
  return { ...shown, key }
}

export async function listKeys({ db }: Pick<Needs, 'db'>, appId: string, page: Page): Promise<Listed<ShownKey>> {
  await getApp(db, appId)
  return listed(await findApiKeys(db, appId, page), page.limit, ({ key }) => key)
}

/** Revokes an API key: within 2 s every gateway process answers 401 to requests with it. Fault not_found. */
export async function revokeKey({ db, changes, note }: Needs, appId: string, keyId: string): Promise<void> {
  await transact(db, async (trx) => {
    await holdApp(trx, appId)
    if (!(await deleteApiKey(trx, appId, keyId))) throw notFound()
    await note(trx, appId, { keyId })
  })
  changes.keyRevoked(keyId)
}
