import { sealAllAnew } from '@herald/auth/reseal'
import { secretContext } from './secrets.ts'
import { countSealedOtherwise, findSealedOtherwise, updateSealed } from './store/sealed.ts'
import type { Webhooks } from './webhooks.ts'

const pageSize = 200

/**
 * Seals anew, with the first of the SEAL_KEYS, the secrets that another key has sealed. `left` says how many still need another key: when it is 0 the
 * other keys can be removed.
 */
export const reseal = ({ db, sealer }: Pick<Webhooks, 'db' | 'sealer'>): Promise<{ resealed: number; left: number }> =>
  sealAllAnew<string>(sealer, {
    find: async (keyId, after) =>
      (await findSealedOtherwise(db, keyId, { after, limit: pageSize })).map(({ id, appId, sealedSecret }) => ({
        place: id,
        sealed: sealedSecret,
        context: secretContext(appId, id),
      })),
    update: (id, change) => updateSealed(db, id, change),
    count: (keyId) => countSealedOtherwise(db, keyId),
  })
