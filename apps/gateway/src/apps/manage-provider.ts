import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import { makeVapidPair } from '@herald/auth/provider-token'
import type { Sealer } from '@herald/auth/seal'
import type { ApnsCredentials, FcmCredentials, WebPushCredentials } from '@herald/contracts/administration'
import type { ProviderKind } from '@herald/contracts/app'
import { notFound } from '@herald/contracts/fault'
import { transact } from '@herald/service/postgres'
import type { Kysely, Transaction } from 'kysely'
import type { Changes } from '../changes.ts'
import type { Subject } from '../core/audit.ts'
import { showProvider, type ProviderSettings, type ShownProvider } from './core/provider-settings.ts'
import { providerContext } from './core/seal-context.ts'
import { holdApp } from './store/apps.ts'
import { deleteProvider, findProvider, upsertProvider } from './store/providers.ts'
import type { Note } from '../store/audit.ts'
import type { Tables } from '../store/tables.ts'

type Needs = { db: Kysely<Tables>; sealer: Sealer; changes: Changes; note: Note }

const googleTokenUri = 'https://oauth2.googleapis.com/token'

export const setApns = (needs: Needs, appId: string, { privateKey, ...settings }: ApnsCredentials): Promise<ShownProvider> => {
  const publicKey = createPublicKey(createPrivateKey(privateKey)).export({ type: 'spki', format: 'der' })
  const keyFingerprint = createHash('sha256').update(publicKey).digest('hex')
  return setProvider(needs, appId, async () => ({ settings: { kind: 'apns', ...settings, keyFingerprint }, privateKey }))
}

export const setFcm = (needs: Needs, appId: string, { serviceAccount }: FcmCredentials): Promise<ShownProvider> =>
  setProvider(needs, appId, async () => ({
    settings: {
      kind: 'fcm',
      projectId: serviceAccount.project_id,
      clientEmail: serviceAccount.client_email,
      tokenUri: serviceAccount.token_uri ?? googleTokenUri,
    },
    privateKey: serviceAccount.private_key,
  }))

/**
 * Sets the Web Push credentials. When the request has no keys, the stored pair stays: a new pair would make every browser's subscription useless.
 * When no pair is stored, a pair is made.
 */
export const setWebPush = (needs: Needs, appId: string, { subject, publicKey, privateKey }: WebPushCredentials): Promise<ShownProvider> =>
  setProvider(needs, appId, async (trx) => {
    if (publicKey !== undefined && privateKey !== undefined) return { settings: { kind: 'webpush', subject, publicKey }, privateKey }
    const present = await findProvider(trx, appId, 'webpush')
    if (!present) {
      const made = makeVapidPair()
      return { settings: { kind: 'webpush', subject, publicKey: made.publicKey }, privateKey: made.privateKey }
    }
    const kept = needs.sealer.open(present.sealedPrivateKey, providerContext(appId, 'webpush')).toString()
    return { settings: { kind: 'webpush', subject, publicKey: present.settings.publicKey }, privateKey: kept }
  })

/** Reads a provider's credentials without their secrets. Fault not_found, also when the app has no credentials for the provider. */
export async function readProvider({ db }: Pick<Needs, 'db'>, appId: string, kind: ProviderKind): Promise<ShownProvider> {
  const provider = await findProvider(db, appId, kind)
  if (!provider) throw notFound()
  return showProvider(provider.settings)
}

export async function removeProvider({ db, changes, note }: Needs, appId: string, kind: ProviderKind): Promise<void> {
  await transact(db, async (trx) => {
    await holdApp(trx, appId)
    if (!(await deleteProvider(trx, appId, kind))) throw notFound()
    await note(trx, appId, { kind })
  })
  changes.appChanged(appId)
}

/** Gives what the audit line says of credentials: which account at the provider they belong to. */
function namesOf(settings: ProviderSettings): Subject {
  const { kind } = settings
  if (kind === 'webpush') return { kind }
  if (kind === 'fcm') return { kind, projectId: settings.projectId }
  return { kind, teamId: settings.teamId, keyId: settings.keyId, bundleId: settings.bundleId }
}

type Credentials = { settings: ProviderSettings; privateKey: string }

async function setProvider(
  { db, sealer, changes, note }: Needs,
  appId: string,
  credentialsOf: (trx: Transaction<Tables>) => Promise<Credentials>,
): Promise<ShownProvider> {
  const settings = await transact(db, async (trx) => {
    await holdApp(trx, appId)
    const credentials = await credentialsOf(trx)
    const { kind } = credentials.settings
    await upsertProvider(trx, appId, credentials.settings, sealer.seal(credentials.privateKey, providerContext(appId, kind)))
    await note(trx, appId, namesOf(credentials.settings))
    return credentials.settings
  })
  changes.appChanged(appId)
  return showProvider(settings)
}
