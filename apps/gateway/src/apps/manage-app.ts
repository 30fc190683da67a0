import type { CreateApp, PatchApp } from '@herald/contracts/administration'
import { defaultSettings, type App, type AppSettings } from '@herald/contracts/app'
import { notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { randomSecret } from '@herald/auth/secret'
import type { Sealer } from '@herald/auth/seal'
import { transact } from '@herald/service/postgres'
import type { Kysely } from 'kysely'
import type { Changes } from '../changes.ts'
import { listed, type Listed } from '@herald/contracts/page'
import type { Page } from '../core/page.ts'
import { identitySecretContext } from './core/seal-context.ts'
import { findApps, insertApp, markAppDeleted, updateApp, updateIdentitySecret } from './store/apps.ts'
import { insertAppErasures } from './store/app-erasures.ts'
import type { Note } from '../store/audit.ts'
import type { Tables } from '../store/tables.ts'

type Needs = { db: Kysely<Tables>; sealer: Sealer; changes: Changes; note: Note }

export const createApp = ({ db, note }: Pick<Needs, 'db' | 'note'>, { name }: CreateApp): Promise<App> =>
  transact(db, async (trx) => {
    const app = await insertApp(trx, { id: newId(), name, settings: defaultSettings })
    await note(trx, app.id, { name })
    return app
  })

export async function listApps({ db }: Pick<Needs, 'db'>, page: Page, onlyApp?: string): Promise<Listed<App>> {
  return listed(await findApps(db, page, onlyApp), page.limit, ({ app }) => app)
}

/** Changes the name or settings of an app; what the request leaves out stays as it is. Fault not_found. */
export async function changeApp(
  { db, changes, note }: Pick<Needs, 'db' | 'changes' | 'note'>,
  appId: string,
  { name, settings = {} }: PatchApp,
): Promise<App> {
  const named: Partial<AppSettings> = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
  const app = await transact(db, async (trx) => {
    const changed = await updateApp(trx, appId, { name, settings: named })
    if (!changed) throw notFound()
    await note(trx, appId, { ...(name === undefined ? {} : { name }), settings: Object.keys(named) })
    return changed
  })
  changes.appChanged(appId)
  return app
}

/**
 * Marks an app as deleted. Requests then find no such app, and its keys stop working within 2 s. `eraseApps` erases its rows later, in the gateway
 * and in the other services. Fault not_found.
 */
export async function deleteApp({ db, changes, note }: Pick<Needs, 'db' | 'changes' | 'note'>, appId: string): Promise<void> {
  await transact(db, async (trx) => {
    if (!(await markAppDeleted(trx, appId))) throw notFound()
    await insertAppErasures(trx, appId)
    await note(trx, appId, {})
  })
  changes.appChanged(appId)
}

/** Makes the secret that signs an app's identity tokens, in the place of an earlier secret. Only this answer shows it. Fault not_found. */
export async function makeIdentitySecret({ db, sealer, changes, note }: Needs, appId: string): Promise<{ secret: string }> {
  const secret = randomSecret('ids_')
  const sealed = sealer.seal(secret, identitySecretContext(appId))
  await transact(db, async (trx) => {
    if (!(await updateIdentitySecret(trx, appId, sealed))) throw notFound()
    await note(trx, appId, {})
  })
  changes.appChanged(appId)
  return { secret }
}
