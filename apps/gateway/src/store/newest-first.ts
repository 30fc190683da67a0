import { sql, type ReferenceExpression, type SelectQueryBuilder } from 'kysely'
import type { Page } from '../core/page.ts'

/**
 * Limits a query to a page: newest first, after the row of the cursor. It reads one row more than the page has, which shows whether another page
 * follows. An index on (created_at, id) serves it.
 */
export function newestFirst<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  { limit, after }: Pick<Page, 'limit' | 'after'>,
  columns: { id: ReferenceExpression<DB, TB> & string; createdAt: ReferenceExpression<DB, TB> & string },
): SelectQueryBuilder<DB, TB, O> {
  const createdAt = sql.ref(columns.createdAt)
  const id = sql.ref(columns.id)
  const placed =
    after === undefined ? query : query.where(sql<boolean>`(${createdAt}, ${id}) < (${after.createdAt}::timestamptz, ${after.id})`)
  return placed
    .orderBy(createdAt, 'desc')
    .orderBy(id, 'desc')
    .limit(limit + 1)
}
