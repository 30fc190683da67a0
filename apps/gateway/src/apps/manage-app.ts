import type { ChangeSettings, CreateApp, PatchApp } from '@herald/contracts/administration'
import { defaultSettings, type App, type AppSettings } from '@herald/contracts/app'
import { fault, notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { randomSecret } from '@herald/auth/secret'
import type { Sealer } from '@herald/auth/seal'
import { transact } from '@herald/service/postgres'
import type { Kysely } from 'kysely'
import type { Changes } from '../changes.ts'
import { listed, type Listed } from '@herald/contracts/page'
import type { Page } from '../core/page.ts'
import { identitySecretContext } from './core/seal-context.ts'
import { drawHoldout, findApps, insertApp, lockHoldout, markAppDeleted, updateApp, updateIdentitySecret } from './store/apps.ts'
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
  const named: Named = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
  const app = await transact(db, async (trx) => {
    const changed = await updateApp(trx, appId, { name, settings: await withHoldout(trx, appId, named) })
    if (!changed) throw notFound()
    await note(trx, appId, { ...(name === undefined ? {} : { name }), settings: Object.keys(named) })
    return changed
  })
  changes.appChanged(appId)
  return app
}

/** The settings that a request names. */
type Named = { [Name in keyof ChangeSettings]?: NonNullable<ChangeSettings[Name]> | (null extends ChangeSettings[Name] ? null : never) }

/** Adds to a hold-out when it began and how often it was drawn. Another share of users leaves both, so that who was held out still is. */
async function withHoldout(trx: Kysely<Tables>, appId: string, { holdout, ...settings }: Named): Promise<Partial<AppSettings>> {
  if (holdout === undefined) return settings
  if (holdout === null) return { ...settings, holdout }
  const { since, generation, now } = await lockHoldout(trx, appId)
  return { ...settings, holdout: { percent: holdout.percent, since: since ?? now, generation } }
}

/** Holds out other users from now on (spec: experiments/holdout). Faults: not_found, invalid_state (the app has no hold-out). */
export async function redrawHoldout(
  { db, changes, note }: Pick<Needs, 'db' | 'changes' | 'note'>,
  appId: string,
): Promise<{ since: string }> {
  const since = await transact(db, async (trx) => {
    const { since: before } = await lockHoldout(trx, appId)
    if (before === null) throw fault('invalid_state', 'The app has no hold-out.')
    const drawn = await drawHoldout(trx, appId)
    await note(trx, appId, {})
    return drawn
  })
  changes.appChanged(appId)
  return { since }
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
