import { invalidField } from '@herald/contracts/fault'
import { isObjectId } from '@herald/contracts/ids'
import { text } from '@herald/contracts/text'
import { z } from 'zod'

/** Where a list goes on: after the row of this time and id, newest first. */
export type Place = { createdAt: Date; id: string }
export type Page = { limit: number; after: Place | undefined; prefix: string | undefined }
export type Listed<Item> = { items: Item[]; nextCursor: string | null }

/** `?limit=1..200` (default 100) and `?cursor=`, as every list takes them (decisions.md 1). */
export const pageQuery = {
  limit: z
    .string()
    .regex(/^\d{1,3}$/, 'must be 1 to 200')
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= 200, 'must be 1 to 200')
    .default(100),
  cursor: z.string().max(200, 'must be the nextCursor of an earlier answer').optional(),
}

/** `?q=`, the beginning of a name. */
export const PageQuery = z.strictObject({ ...pageQuery, q: text(0, 200).optional() })

/** A list's query as asked for. Fault: invalid_body at `cursor`. */
export const pageOf = ({ limit, cursor, q }: { limit: number; cursor?: string | undefined; q?: string | undefined }): Page => ({
  limit,
  after: cursor === undefined ? undefined : placeOf(cursor),
  prefix: q,
})

/** A page from one row more than was asked for: the extra one says that there is a next page. */
export function listed<Row extends Place, Item>(rows: Row[], limit: number, show: (row: Row) => Item): Listed<Item> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { items: shown.map(show), nextCursor: rows.length > limit && last ? cursorOf(last) : null }
}

const cursorOf = ({ createdAt, id }: Place): string => Buffer.from(`${createdAt.getTime()}.${id}`).toString('base64url')

function placeOf(cursor: string): Place {
  const [, milliseconds = '', id = ''] = /^(\d{1,14})\.(.+)$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (milliseconds === '' || !isObjectId(id)) throw invalidField('cursor', 'must be the nextCursor of an earlier answer')
  return { createdAt: new Date(Number(milliseconds)), id }
}
