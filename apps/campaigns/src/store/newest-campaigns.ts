import type { Place } from '@herald/contracts/page'
import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** Campaigns that one page looks at, at most: ~2 µs each. */
export const mostExamined = 5_000

export const newestFirst = (db: Db) => db.selectFrom('campaigns').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc')

/**
 * One row more than `limit` of an app's campaigns but its tests, newest first, after a place of an earlier page. It reads no further than the page reaches, and looks at
 * 5,000 at most; `examinedTo` is where to go on when there may be more.
 */
export async function findNewest(db: Db, appId: string, { limit, after }: { limit: number; after: Place | undefined }) {
  const left = newestFirst(db)
    .where('app_id', '=', appId)
    .$if(after !== undefined, (query) => query.where(sql<boolean>`(created_at, id) < (${after?.createdAt}::timestamptz, ${after?.id})`))
  const rows = await db
    .selectFrom(left.limit(mostExamined).as('examined'))
    .selectAll()
    .where('test', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  if (rows.length > limit) return { rows, examinedTo: undefined }
  const last = await left
    .clearSelect()
    .select(['id', 'created_at as createdAt'])
    .offset(mostExamined - 1)
    .limit(1)
    .executeTakeFirst()
  return { rows, examinedTo: last }
}
