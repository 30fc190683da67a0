import { mintApnsToken } from '@herald/auth/provider-token'
import { SealError, type Sealer } from '@herald/auth/seal'
import { transact } from '@herald/service/postgres'
import type { Kysely } from 'kysely'
import { apnsTokenContext, providerContext } from './core/seal-context.ts'
import {
  findApnsToken,
  insertApnsTokenOwner,
  lockApnsToken,
  readClock,
  updateApnsToken,
  type ApnsTokenOwner,
  type ApnsTokenRow,
} from './store/apns-tokens.ts'
import { findCandidate } from './store/kept-credentials.ts'
import { findProvider } from './store/providers.ts'
import type { Tables } from '../store/tables.ts'

type ApnsToken = { token: string; mintedAt: string }

/**
 * Gives the provider token for the key of an app's credentials, or of a candidate; null without any. All dispatchers get the same one. A
 * refused token is replaced 20 minutes old (spec: providers/apns-provider-token), any other 50 minutes old.
 */
export async function apnsToken(
  { db, sealer }: { db: Kysely<Tables>; sealer: Sealer },
  { appId, refused, candidateId }: { appId: string; refused: string | null; candidateId?: string | undefined },
): Promise<ApnsToken | null> {
  const provider = candidateId === undefined ? await findProvider(db, appId, 'apns') : await findCandidate(db, appId, candidateId)
  if (provider?.settings.kind !== 'apns') return null
  const { teamId, keyId, keyFingerprint } = provider.settings
  const owner: ApnsTokenOwner = { teamId, keyId, keyFingerprint }

  const keptOf = (row: ApnsTokenRow | undefined): ApnsToken | undefined => {
    if (!row || row.sealedToken === '') return undefined
    const token = openOrNone(sealer, row.sealedToken, apnsTokenContext(owner))
    if (token === undefined) return undefined
    const kept = isTokenKept({ ageSeconds: row.ageSeconds, refused: token === refused })
    return kept ? { token, mintedAt: row.mintedAt.toISOString() } : undefined
  }

  const present = keptOf(await findApnsToken(db, owner))
  if (present) return present

  return transact(db, async (trx) => {
    await insertApnsTokenOwner(trx, owner)
    // A token is minted only under the lock of its row: Apple refuses a team that changes its token often.
    const mintedMeanwhile = keptOf(await lockApnsToken(trx, owner))
    if (mintedMeanwhile) return mintedMeanwhile
    const mintedAt = await readClock(trx)
    const privateKey = sealer.open(provider.sealedPrivateKey, providerContext(appId, 'apns')).toString()
    const token = mintApnsToken({ teamId, keyId, privateKey, now: mintedAt })
    await updateApnsToken(trx, owner, { sealedToken: sealer.seal(token, apnsTokenContext(owner)), mintedAt })
    return { token, mintedAt: mintedAt.toISOString() }
  })
}

/** Opens a sealed token; gives undefined when none of the SEAL_KEYS opens it. The caller then mints a new token. */
function openOrNone(sealer: Sealer, sealed: string, context: string): string | undefined {
  try {
    return sealer.open(sealed, context).toString()
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}

const minute = 60

/**
 * A token is replaced at this age. Apple takes a token for 60 minutes. The last 10 of them are not used, because clocks differ and pushes are under
 * way.
 */
const renewedAfterSeconds = 50 * minute
/**
 * A token that Apple refuses is replaced only at this age, because Apple answers TooManyProviderTokenUpdates to a team that changes its token more
 * often.
 */
const keptForSeconds = 20 * minute

/** Says whether the stored token is still used. A token that Apple refuses is replaced as soon as Apple allows, 20 minutes after it was minted. */
export const isTokenKept = ({ ageSeconds, refused }: { ageSeconds: number; refused: boolean }): boolean =>
  ageSeconds < (refused ? keptForSeconds : renewedAfterSeconds)
