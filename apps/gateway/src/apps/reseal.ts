import { sealAllAnew } from '@herald/auth/reseal'
import type { Sealer } from '@herald/auth/seal'
import type { Kysely } from 'kysely'
import { apnsTokenContext, identitySecretContext, providerContext } from './core/seal-context.ts'
import { countSealedOtherwise, findSealedOtherwise, updateSealed, type SealedPlace } from './store/sealed.ts'
import type { Tables } from '../store/tables.ts'

const pageSize = 200

/**
 * Seals with the first of the SEAL_KEYS every value that another of these keys opens. `left` is how many values still need another key: at 0 an
 * operator can remove all other keys.
 */
export const reseal = ({ db, sealer }: { db: Kysely<Tables>; sealer: Sealer }): Promise<{ resealed: number; left: number }> =>
  sealAllAnew<SealedPlace>(sealer, {
    find: async (keyId, after) =>
      (await findSealedOtherwise(db, keyId, { after, limit: pageSize })).map((found) => ({ ...found, context: contextOf(found.place) })),
    update: (place, change) => updateSealed(db, place, change),
    count: (keyId) => countSealedOtherwise(db, keyId),
  })

function contextOf({ kind, key: [one = '', two = '', three = ''] }: SealedPlace): string {
  if (kind === 'provider' || kind === 'kept-credentials') return providerContext(one, two)
  if (kind === 'identity-secret') return identitySecretContext(one)
  return apnsTokenContext({ teamId: one, keyId: two, keyFingerprint: three })
}
