import type { Sealer } from '@herald/auth/seal'
import type { ProviderCredentials, ProviderKind } from '@herald/contracts/app'
import { checkProvider, type CheckedProvider } from '@herald/contracts/calls/dispatcher'
import { fault, invalidField, notFound, type Fault } from '@herald/contracts/fault'
import { remedyOf } from '@herald/contracts/remedies'
import type { Bus } from '@herald/service/bus'
import { transact } from '@herald/service/postgres'
import type { Kysely } from 'kysely'
import type { Changes } from '../changes.ts'
import { providers, type ProviderSettings } from './core/providers/providers.ts'
import { providerContext } from './core/seal-context.ts'
import { holdApp } from './store/apps.ts'
import { deleteCandidate, deleteKept, findCandidate, findFormer, insertCandidate, upsertFormer } from './store/kept-credentials.ts'
import { deleteProvider, findProvider, upsertProvider } from './store/providers.ts'
import type { Note } from '../store/audit.ts'
import type { Tables } from '../store/tables.ts'

type Needs = { db: Kysely<Tables>; sealer: Sealer; changes: Changes; note: Note; bus: Bus }
type Shown = Record<string, unknown>

/**
 * Sets an app's credentials for a provider. Those in use stay when the provider does not take the new ones (spec: administration/credentials-checked),
 * unless `unchecked`. Gives them without secrets. Faults: not_found, invalid_body, invalid_state.
 */
export async function setProvider(
  needs: Needs,
  appId: string,
  { kind, body, unchecked }: { kind: ProviderKind; body: unknown; unchecked: boolean },
): Promise<Shown> {
  const { db, sealer } = needs
  const made = await transact(db, async (trx) => {
    await holdApp(trx, appId)
    const context = providerContext(appId, kind)
    const stored = await findProvider(trx, appId, kind)
    const present = () => stored && { settings: stored.settings, privateKey: sealer.open(stored.sealedPrivateKey, context).toString() }
    const { settings, privateKey } = providers[kind].credentialsOf(body, present)
    const credentials = { settings, sealedPrivateKey: sealer.seal(privateKey, context) }
    if (stored && !unchecked) return { credentials, candidateId: await insertCandidate(trx, appId, credentials) }
    await replace(needs, trx, appId, credentials)
    return { credentials, candidateId: undefined }
  })
  if (made.candidateId !== undefined) await replaceWithChecked(needs, appId, { kind, candidateId: made.candidateId })
  needs.changes.appChanged(appId)
  return shownOf(made.credentials.settings)
}

/** Asks the provider about a candidate, and puts it in the place of the credentials in use when the provider takes it. */
async function replaceWithChecked(
  needs: Needs,
  appId: string,
  { kind, candidateId }: { kind: ProviderKind; candidateId: string },
): Promise<void> {
  const { db, bus } = needs
  try {
    const checked = await bus.call(checkProvider, { appId, kind, candidateId })
    if (!checked.ok) throw notTaken(kind, checked)
    await transact(db, async (trx) => {
      await holdApp(trx, appId)
      const candidate = await findCandidate(trx, appId, candidateId)
      if (!candidate) throw fault('invalid_state', 'The check took too long. Set the credentials again.')
      await replace(needs, trx, appId, candidate)
    })
  } finally {
    // The sweep deletes what stays when the database is away, which must not hide the provider's answer.
    await deleteCandidate(db, candidateId).catch(() => undefined)
  }
}

/**
 * Stores credentials, keeps those that they replace for a rollback, and writes the audit's line. A repeated request, whose answer was lost, leaves the
 * former ones as they are.
 */
async function replace(
  { note, sealer }: Needs,
  trx: Kysely<Tables>,
  appId: string,
  { settings, sealedPrivateKey }: { settings: ProviderSettings; sealedPrivateKey: string },
): Promise<void> {
  const stored = await findProvider(trx, appId, settings.kind)
  const open = (sealed: string) => sealer.open(sealed, providerContext(appId, settings.kind)).toString()
  const isSame = stored && textOf(stored.settings) === textOf(settings) && open(stored.sealedPrivateKey) === open(sealedPrivateKey)
  if (stored && !isSame) await upsertFormer(trx, appId, stored)
  await upsertProvider(trx, appId, settings, sealedPrivateKey)
  await note(trx, appId, namedIn(settings))
}

/** Gives a text that is the same for the same settings: the database keeps their fields in an order of its own. */
const textOf = (settings: ProviderSettings): string => JSON.stringify(settings, Object.keys(settings).toSorted())

/** The answers of a check that say nothing about the credentials. */
const away = new Set(['provider_unavailable', 'network_error', 'timeout', 'rate_limited'])

function notTaken(kind: ProviderKind, { code, providerCode }: CheckedProvider): Fault {
  const word = [code, providerCode].filter((one) => one !== null).join(', ')
  if (code !== null && away.has(code))
    return fault(
      'invalid_state',
      `The provider could not be asked about the credentials (${word}), so the present ones stay. Try again, or set unchecked=true.`,
    )
  const remedy = code === null ? '' : ` ${remedyOf(kind, code, providerCode)}`
  return invalidField('', `has credentials that the provider does not take (${word}), so the present ones stay.${remedy}`)
}

/** Gives what the audit says of credentials: to which account at the provider they belong. */
const namedIn = (settings: ProviderSettings): Shown => {
  const { kind } = settings
  const shown = Object.entries(shownOf(settings)).filter(([name]) => providers[kind].named.includes(name))
  return { kind, ...Object.fromEntries(shown) }
}

/** Gives what the administration shows of stored credentials. */
const shownOf = (settings: ProviderSettings): Shown => providers[settings.kind].shown.parse(settings)

/**
 * Reads a provider's credentials without their secrets, and the former ones that a rollback would bring back. Fault not_found, also when the app has no
 * credentials for the provider.
 */
export async function readProvider({ db }: Pick<Needs, 'db'>, appId: string, kind: ProviderKind): Promise<Shown> {
  const provider = await findProvider(db, appId, kind)
  if (!provider) throw notFound()
  const former = await findFormer(db, appId, kind)
  return {
    ...shownOf(provider.settings),
    former: former ? { ...shownOf(former.settings), replacedAt: former.createdAt.toISOString() } : null,
  }
}

/**
 * Reads an app's credentials for the dispatcher, with the private key sealed or, for APNs, left out; null when none are set or the app is deleted. With
 * `candidateId` those that are being checked.
 */
export async function readCredentials(
  { db }: Pick<Needs, 'db'>,
  { appId, kind, candidateId }: { appId: string; kind: ProviderKind; candidateId?: string | undefined },
): Promise<ProviderCredentials | null> {
  const sealContext = providerContext(appId, kind)
  if (candidateId !== undefined) {
    const candidate = await findCandidate(db, appId, candidateId)
    if (candidate?.settings.kind !== kind) return null
    const travelling = providers[kind].travelling(candidate.settings, {
      version: 0,
      sealedPrivateKey: candidate.sealedPrivateKey,
      sealContext,
    })
    return travelling.kind === 'apns' ? { ...travelling, candidateId } : travelling
  }
  const provider = await findProvider(db, appId, kind)
  if (!provider) return null
  const { settings, version, sealedPrivateKey } = provider
  return providers[kind].travelling(settings, { version, sealedPrivateKey, sealContext })
}

/** Brings back the credentials that were replaced last; those in use are the former ones then. Faults: not_found, invalid_state (none are kept). */
export async function rollBackProvider(
  { db, changes, note }: Omit<Needs, 'sealer' | 'bus'>,
  appId: string,
  kind: ProviderKind,
): Promise<Shown> {
  const settings = await transact(db, async (trx) => {
    await holdApp(trx, appId)
    const stored = await findProvider(trx, appId, kind)
    if (!stored) throw notFound()
    const former = await findFormer(trx, appId, kind)
    if (!former) throw fault('invalid_state', 'No former credentials are kept.')
    await upsertFormer(trx, appId, stored)
    await upsertProvider(trx, appId, former.settings, former.sealedPrivateKey)
    await note(trx, appId, namedIn(former.settings))
    return former.settings
  })
  changes.appChanged(appId)
  return shownOf(settings)
}

/** Removes an app's credentials for a provider, also the former ones. Fault not_found, also when the app has none. */
export async function removeProvider(
  { db, changes, note }: Omit<Needs, 'sealer' | 'bus'>,
  appId: string,
  kind: ProviderKind,
): Promise<void> {
  await transact(db, async (trx) => {
    await holdApp(trx, appId)
    if (!(await deleteProvider(trx, appId, kind))) throw notFound()
    await deleteKept(trx, appId, kind)
    await note(trx, appId, { kind })
  })
  changes.appChanged(appId)
}
