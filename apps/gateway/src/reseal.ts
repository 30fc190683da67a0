import { SealError, type Sealer } from '@herald/auth/seal'
import type { Kysely } from 'kysely'
import { apnsTokenContext, identitySecretContext, providerContext } from './core/seal-context.ts'
import { countSealedOtherwise, findSealedOtherwise, updateSealed, type SealedPlace } from './store/sealed.ts'
import type { Tables } from './store/tables.ts'

const pageSize = 200

/**
 * Seals with the first of the SEAL_KEYS what was sealed with another, so that the other can be dropped from the list. A value that
 * changes meanwhile is left alone, and so is one that no key opens. Answers how many need another key than the first: at 0 all
 * others can go.
 */
export async function reseal({ db, sealer }: { db: Kysely<Tables>; sealer: Sealer }): Promise<{ resealed: number; left: number }> {
  let resealed = 0
  for (;;) {
    const before = resealed
    for (const { place, sealed } of await findSealedOtherwise(db, sealer.keyId, pageSize)) {
      const anew = sealAnew(sealer, sealed, contextOf(place))
      if (anew !== undefined) resealed += await updateSealed(db, place, { from: sealed, to: anew })
    }
    if (resealed === before) return { resealed, left: await countSealedOtherwise(db, sealer.keyId) }
  }
}

function sealAnew(sealer: Sealer, sealed: string, context: string): string | undefined {
  try {
    return sealer.seal(sealer.open(sealed, context), context)
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}

function contextOf({ kind, key: [one = '', two = '', three = ''] }: SealedPlace): string {
  if (kind === 'provider') return providerContext(one, two)
  if (kind === 'identity-secret') return identitySecretContext(one)
  return apnsTokenContext({ teamId: one, keyId: two, keyFingerprint: three })
}
