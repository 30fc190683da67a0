import { z } from 'zod'
import { invalidField } from './fault.ts'
import { isObjectId } from './ids.ts'
import { text } from './text.ts'

/** Where the next page of a list begins: after the row with this time (to the millisecond) and id, newest first. */
export type Place = { createdAt: Date; id: string }

/**
 * The request for a page of a list, as one service sends it to another (spec: limits/lists). The list is newest first; `q` filters, mostly by
 * a part of a name.
 */
export const ListRequest = z.object({
  limit: z.number().int().min(1).max(200),
  cursor: z.string().max(200).optional(),
  q: text(0, 200).optional(),
})
export type ListRequest = z.infer<typeof ListRequest>

export type Listed<Item> = { items: Item[]; nextCursor: string | null }

/**
 * Makes a page from rows of a query that reads one row more than `limit`, which shows whether there is a next page. `examinedTo`: where a filter
 * stopped before it had found `limit` rows; a page follows then too.
 */
export function listed<Row extends Place, Item>(rows: Row[], limit: number, show: (row: Row) => Item, examinedTo?: Place): Listed<Item> {
  const shown = rows.slice(0, limit)
  const next = rows.length > limit ? shown.at(-1) : examinedTo
  return { items: shown.map(show), nextCursor: next ? writeCursor(next) : null }
}

/** Writes a cursor that names a row exactly, because times are stored to the millisecond (`timestamptz(3)`). */
export const writeCursor = ({ createdAt, id }: Place): string => Buffer.from(`${createdAt.getTime()}.${id}`).toString('base64url')

/** Reads a cursor. Fault: invalid_body at `cursor`. */
export function readCursor(cursor: string): Place {
  const [, milliseconds = '', id = ''] = /^(\d{1,14})\.(.+)$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (milliseconds === '' || !isObjectId(id)) throw invalidField('cursor', 'must be the nextCursor of an earlier answer')
  return { createdAt: new Date(Number(milliseconds)), id }
}
