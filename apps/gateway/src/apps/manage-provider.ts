import type { Sealer } from '@herald/auth/seal'
import type { ProviderCredentials, ProviderKind } from '@herald/contracts/app'
import { notFound } from '@herald/contracts/fault'
import { transact } from '@herald/service/postgres'
import type { Kysely } from 'kysely'
import type { Changes } from '../changes.ts'
import { providers, type ProviderSettings } from './core/providers/providers.ts'
import { providerContext } from './core/seal-context.ts'
import { holdApp } from './store/apps.ts'
import { deleteProvider, findProvider, upsertProvider } from './store/providers.ts'
import type { Note } from '../store/audit.ts'
import type { Tables } from '../store/tables.ts'

type Needs = { db: Kysely<Tables>; sealer: Sealer; changes: Changes; note: Note }
type Shown = Record<string, unknown>

/** Sets an app's credentials for a provider, in the place of earlier ones. Gives them without secrets. Fault: not_found. */
export async function setProvider(
  { db, sealer, changes, note }: Needs,
  appId: string,
  { kind, body }: { kind: ProviderKind; body: unknown },
): Promise<Shown> {
  const settings = await transact(db, async (trx) => {
    await holdApp(trx, appId)
    const context = providerContext(appId, kind)
    const stored = await findProvider(trx, appId, kind)
    const present = () => stored && { settings: stored.settings, privateKey: sealer.open(stored.sealedPrivateKey, context).toString() }
    const credentials = providers[kind].credentialsOf(body, present)
    await upsertProvider(trx, appId, credentials.settings, sealer.seal(credentials.privateKey, context))
    // The audit says which account at the provider the credentials belong to.
    const shown = Object.entries(shownOf(credentials.settings))
    await note(trx, appId, { kind, ...Object.fromEntries(shown.filter(([name]) => providers[kind].named.includes(name))) })
    return credentials.settings
  })
  changes.appChanged(appId)
  return shownOf(settings)
}

/** Gives what the administration shows of stored credentials. */
const shownOf = (settings: ProviderSettings): Shown => providers[settings.kind].shown.parse(settings)

/** Reads a provider's credentials without their secrets. Fault not_found, also when the app has no credentials for the provider. */
export async function readProvider({ db }: Pick<Needs, 'db'>, appId: string, kind: ProviderKind): Promise<Shown> {
  const provider = await findProvider(db, appId, kind)
  if (!provider) throw notFound()
  return shownOf(provider.settings)
}

/**
 * Reads an app's credentials for the dispatcher, with the private key sealed or, for APNs, left out; null when none are set or the app is deleted.
 */
export async function readCredentials(
  { db }: Pick<Needs, 'db'>,
  { appId, kind }: { appId: string; kind: ProviderKind },
): Promise<ProviderCredentials | null> {
  const provider = await findProvider(db, appId, kind)
  if (!provider) return null
  const { settings, version, sealedPrivateKey } = provider
  return providers[kind].travelling(settings, { version, sealedPrivateKey, sealContext: providerContext(appId, kind) })
}

/** Removes an app's credentials for a provider. Fault not_found, also when the app has none. */
export async function removeProvider({ db, changes, note }: Needs, appId: string, kind: ProviderKind): Promise<void> {
  await transact(db, async (trx) => {
    await holdApp(trx, appId)
    if (!(await deleteProvider(trx, appId, kind))) throw notFound()
    await note(trx, appId, { kind })
  })
  changes.appChanged(appId)
}
