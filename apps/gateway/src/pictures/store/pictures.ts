import { sql, type Kysely } from 'kysely'
import type { Page } from '../../core/page.ts'
import { newestFirst } from '../../store/newest-first.ts'
import type { Tables } from '../../store/tables.ts'
import type { MediaType, Picture } from '../core/picture.ts'

type Db = Kysely<Tables>

/** A picture without its bytes. */
export type StoredPicture = {
  id: string
  name: string
  mediaType: MediaType
  width: number
  height: number
  size: number
  addedBy: string
  createdAt: Date
}

const columns = [
  'id',
  'name',
  'media_type as mediaType',
  'width',
  'height',
  sql<number>`length(bytes)`.as('size'),
  'added_by as addedBy',
  'created_at as createdAt',
] as const

/** Inserts a picture; undefined when the app has the same one already. */
export const insertPicture = (
  db: Db,
  appId: string,
  { id, hash, addedBy, mediaType, ...picture }: Picture & { id: string; hash: Buffer; addedBy: string },
): Promise<StoredPicture | undefined> =>
  db
    .insertInto('pictures')
    .values({ ...picture, id, app_id: appId, media_type: mediaType, hash, added_by: addedBy })
    .onConflict((conflict) => conflict.doNothing())
    .returning(columns)
    .executeTakeFirst()

export const findByHash = (db: Db, appId: string, hash: Buffer): Promise<StoredPicture | undefined> =>
  db.selectFrom('pictures').select(columns).where('app_id', '=', appId).where('hash', '=', hash).executeTakeFirst()

/** Finds a picture with its bytes, unless its app is deleted. */
export const findPicture = (db: Db, name: string): Promise<Picture | undefined> =>
  db
    .selectFrom('pictures')
    .innerJoin('apps', 'apps.id', 'pictures.app_id')
    .select(['pictures.name', 'media_type as mediaType', 'width', 'height', 'bytes'])
    .where('pictures.name', '=', name)
    .where('apps.deleted_at', 'is', null)
    .executeTakeFirst()

export const findPictures = (db: Db, appId: string, page: Page): Promise<StoredPicture[]> =>
  newestFirst(db.selectFrom('pictures').where('app_id', '=', appId), page, { id: 'id', createdAt: 'created_at' })
    .select(columns)
    .execute()

/** Counts the pictures of an app. The caller holds their adding. */
export async function countPictures(db: Db, appId: string): Promise<number> {
  const { count } = await db
    .selectFrom('pictures')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('app_id', '=', appId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Deletes a picture; gives its name, or undefined when the app has no such picture. */
export async function deletePicture(db: Db, appId: string, id: string): Promise<string | undefined> {
  const deleted = await db.deleteFrom('pictures').where('id', '=', id).where('app_id', '=', appId).returning('name').executeTakeFirst()
  return deleted?.name
}
