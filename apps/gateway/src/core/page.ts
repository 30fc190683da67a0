import { readCursor, writeCursor, type ListRequest, type Listed, type Place } from '@herald/contracts/page'
import { text } from '@herald/contracts/text'
import { z } from 'zod'

/** A page of a list of the gateway's own tables. */
export type Page = { limit: number; after: Place | undefined; prefix: string | undefined }

/** `?limit=1..200` (default 100) and `?cursor=`, as every list takes them (spec: limits/lists). */
export const pageQuery = {
  limit: z
    .string()
    .refine((limit) => /^\d{1,3}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= 200, 'must be 1 to 200')
    .transform(Number)
    .default(100)
    .meta({ type: 'integer', minimum: 1, maximum: 200, default: 100, description: 'How many to answer at most.' }),
  cursor: z
    .string()
    .max(200, 'must be the nextCursor of an earlier answer')
    .optional()
    .meta({ description: 'Where to go on: the `nextCursor` of an earlier answer.' }),
}

/** `?q=`, the beginning of a name. */
export const PageQuery = z.strictObject({
  ...pageQuery,
  q: text(0, 200).optional().meta({ description: 'Only what has a name that begins like this, in capitals or not.' }),
})
export type PageQuery = z.output<typeof PageQuery>

/** A list's query as asked for. Fault: invalid_body at `cursor`. */
export const pageOf = ({ limit, cursor, q }: { limit: number; cursor?: string | undefined; q?: string | undefined }): Page => ({
  limit,
  after: cursor === undefined ? undefined : readCursor(cursor),
  prefix: q,
})

/** The same question for another app, which reads the cursor there; a bad one is refused here. Fault: invalid_body at `cursor`. */
export function listRequestOf({ limit, cursor, q }: PageQuery): ListRequest {
  if (cursor !== undefined) readCursor(cursor)
  return { limit, ...(cursor === undefined ? {} : { cursor }), ...(q === undefined ? {} : { q }) }
}

/** 512 KiB: a page of 200 segments of 100 leaves, or templates of 100 locales, would be tens of megabytes (spec: limits/list-bytes). */
const largestList = 524_288

/** The page cut to what a list answer may hold, but at least one item; the cut moves `nextCursor` to the last item kept. */
export function cappedList<Item extends { id: string; createdAt: string }>({ items, nextCursor }: Listed<Item>): Listed<Item> {
  let bytes = 0
  const fitting = items.findIndex((item, place) => (bytes += Buffer.byteLength(JSON.stringify(item)) + 1) > largestList && place > 0)
  const last = items[fitting - 1]
  if (fitting === -1 || last === undefined) return { items, nextCursor }
  return { items: items.slice(0, fitting), nextCursor: writeCursor({ id: last.id, createdAt: new Date(last.createdAt) }) }
}
