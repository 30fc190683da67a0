import { tooManyReads } from '@herald/contracts/fault'
import { openAtOnce } from '@herald/service/at-once'
import { LRUCache } from 'lru-cache'
import type { Kysely } from 'kysely'
import type { Tables } from '../store/tables.ts'
import type { Picture } from './core/picture.ts'
import { findPicture } from './store/pictures.ts'

/** A large send makes many devices ask for one picture at once, so this process remembers pictures: at most 16 MB of them, each for a minute. */
const mostRemembered = 16_777_216
const rememberMs = 60_000

export type Pictures = {
  /** Finds a picture by its name; client addresses take turns. One that was deleted is found for a minute more. Fault: rate_limited. */
  find(name: string, address: string): Promise<Picture | undefined>
}

export function openPictures({ db }: { db: Kysely<Tables> }): Pictures {
  const known = new LRUCache<string, Picture>({ maxSize: mostRemembered, sizeCalculation: ({ bytes }) => bytes.length, ttl: rememberMs })
  // Anybody may ask for any name, so few of these questions reach the database at once, and one address has half of the places at most.
  const few = openAtOnce({ atOnce: 4, crowdedShare: 2, mostWaiting: 200, waitMs: 2_000, full: () => tooManyReads(2) })
  const asking = new Map<string, Promise<Picture | undefined>>()
  return {
    async find(name, address) {
      const remembered = known.get(name)
      if (remembered) return remembered
      let asked = asking.get(name)
      if (!asked) {
        asked = few(() => findPicture(db, name), address).finally(() => asking.delete(name))
        asking.set(name, asked)
      }
      const picture = await asked
      if (picture) known.set(name, picture)
      return picture
    },
  }
}
