import { sealAllAnew } from '@herald/auth/reseal'
import type { Sealer } from '@herald/auth/seal'
import { secretContext } from './core/seal-context.ts'
import { countSealedOtherwise, findSealedOtherwise, updateSealed } from './store/sealed.ts'
import type { Db } from './store/tables.ts'

const pageSize = 200

/** Seals with the first of the SEAL_KEYS the secrets that another sealed. Answers how many need another: at 0 all others can go. */
export const reseal = ({ db, sealer }: { db: Db; sealer: Sealer }): Promise<{ resealed: number; left: number }> =>
  sealAllAnew<string>(sealer, {
    find: async (keyId) =>
      (await findSealedOtherwise(db, keyId, pageSize)).map(({ id, app_id, sealed_secret }) => ({
        place: id,
        sealed: sealed_secret,
        context: secretContext(app_id, id),
      })),
    update: (id, change) => updateSealed(db, id, change),
    count: (keyId) => countSealedOtherwise(db, keyId),
  })
