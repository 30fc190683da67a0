import { readCursor, writeCursor, type ListRequest, type Listed, type Place } from '@herald/contracts/page'
import { text } from '@herald/contracts/text'
import { z } from 'zod'

/** Which page of a list of the gateway's own tables is asked for. */
export type Page = { limit: number; after: Place | undefined; q: string | undefined }

/**
 * The query parameters of every list in pages (spec: limits/lists): `limit`, how many items a page may have (1 to 200, default 100), and `cursor`,
 * where the page begins.
 */
export const pageQuery = {
  limit: z
    .string()
    .refine((limit) => /^\d{1,3}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= 200, 'must be 1 to 200')
    .transform(Number)
    .default(100)
    .meta({ type: 'integer', minimum: 1, maximum: 200, default: 100, description: 'The most items of a page.' }),
  cursor: z
    .string()
    .max(200, 'must be the nextCursor of an earlier answer')
    .optional()
    .meta({ description: 'Continues a list: the `nextCursor` of the previous answer.' }),
}

/** The query of a list that can be searched by a part of a name (`?q=`). */
export const PageQuery = z.strictObject({
  ...pageQuery,
  q: text(0, 200).optional().meta({ description: 'Only items whose name contains this text, in upper or lower case.' }),
})
export type PageQuery = z.output<typeof PageQuery>

/** Gives the page that a list's query asks for. Fault: invalid_body at `cursor`. */
export const pageOf = ({ limit, cursor, q }: { limit: number; cursor?: string | undefined; q?: string | undefined }): Page => ({
  limit,
  after: cursor === undefined ? undefined : readCursor(cursor),
  q,
})

/**
 * Gives the page that a query asks for, in the form of the call to the service that has the list. That service reads the cursor; a malformed cursor
 * is refused here. Fault: invalid_body at `cursor`.
 */
export function listRequestOf({ limit, cursor, q }: PageQuery): ListRequest {
  if (cursor !== undefined) readCursor(cursor)
  return { limit, ...(cursor === undefined ? {} : { cursor }), ...(q === undefined ? {} : { q }) }
}

/**
 * A list's answer has at most this many bytes, unless a single item is larger (spec: limits/list-bytes). A page of 200 segments with 100 conditions
 * each would otherwise have tens of megabytes.
 */
const largestList = 524_288

/**
 * Shortens a page to the bytes that a list's answer may have, but keeps at least one item. `nextCursor` then continues after the last item of the
 * shortened page.
 */
export function cappedList<Item extends { id: string; createdAt: string }>({ items, nextCursor }: Listed<Item>): Listed<Item> {
  let bytes = 0
  const fitting = items.findIndex((item, place) => (bytes += Buffer.byteLength(JSON.stringify(item)) + 1) > largestList && place > 0)
  const last = items[fitting - 1]
  if (fitting === -1 || last === undefined) return { items, nextCursor }
  return { items: items.slice(0, fitting), nextCursor: writeCursor({ id: last.id, createdAt: new Date(last.createdAt) }) }
}
