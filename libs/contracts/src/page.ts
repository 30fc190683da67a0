import { z } from 'zod'
import { invalidField } from './fault.ts'
import { isObjectId } from './ids.ts'
import { text } from './text.ts'

/** Where a list goes on: after the row of this time (ISO, milliseconds) and id, newest first. */
export type Place = { createdAt: Date; id: string }

/** A list as one app asks another for it (spec: limits/lists): newest first, by the beginning of a name. */
export const ListRequest = z.object({
  limit: z.number().int().min(1).max(200),
  cursor: z.string().max(200).optional(),
  q: text(0, 200).optional(),
})
export type ListRequest = z.infer<typeof ListRequest>

export type Listed<Item> = { items: Item[]; nextCursor: string | null }

/**
 * Makes a page from `limit` rows and one more, which shows that there is a next page. `examinedTo` shows that too: there a filter stopped before it had
 * found a whole page.
 */
export function listed<Row extends Place, Item>(rows: Row[], limit: number, show: (row: Row) => Item, examinedTo?: Place): Listed<Item> {
  const shown = rows.slice(0, limit)
  const next = rows.length > limit ? shown.at(-1) : examinedTo
  return { items: shown.map(show), nextCursor: next ? writeCursor(next) : null }
}

/** Times are kept to the millisecond (`timestamptz(3)`), so that a cursor names its row exactly. */
export const writeCursor = ({ createdAt, id }: Place): string => Buffer.from(`${createdAt.getTime()}.${id}`).toString('base64url')

/** Fault: invalid_body at `cursor`. */
export function readCursor(cursor: string): Place {
  const [, milliseconds = '', id = ''] = /^(\d{1,14})\.(.+)$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (milliseconds === '' || !isObjectId(id)) throw invalidField('cursor', 'must be the nextCursor of an earlier answer')
  return { createdAt: new Date(Number(milliseconds)), id }
}
