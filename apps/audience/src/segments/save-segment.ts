import { fault, notFound } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { SavedSegment, SaveSegment } from '@herald/contracts/saved-segment'
import { transact } from '@herald/service/postgres'
import { hasRoomForSegment, insertSegment, mostSegments, updateSegment } from './store/segments.ts'
import type { Db } from '../store/tables.ts'

type Asked = { appId: string; segment: SaveSegment }

/**
 * Saves a new segment with its definition word for word (spec: segments/saved-fields). Faults: `duplicate_name`, `limit_reached`, `not_found` (the app was erased).
 */
export const createSegment = ({ db }: { db: Db }, { appId, segment }: Asked): Promise<SavedSegment> =>
  refuseTakenName(() =>
    transact(db, async (trx) => {
      const hasRoom = await hasRoomForSegment(trx, appId)
      const saved = await insertSegment(trx, { id: newId(), appId, segment })
      if (!hasRoom) throw fault('limit_reached', `An app has at most ${mostSegments} saved segments. Delete one that is not used any more.`)
      return saved
    }),
  )

/** Replaces a segment and clears its count (spec: segments/saved-replace). Faults: `not_found`, `duplicate_name`. */
export async function replaceSegment(
  { db }: { db: Db },
  { appId, segmentId, segment }: Asked & { segmentId: string },
): Promise<SavedSegment> {
  const saved = await refuseTakenName(() => updateSegment(db, { appId, segmentId, segment }))
  if (!saved) throw notFound()
  return saved
}

async function refuseTakenName<T>(save: () => Promise<T>): Promise<T> {
  try {
    return await save()
  } catch (error) {
    if (!isNameTaken(error)) throw error
    throw fault('duplicate_name', 'Another segment of this app has this name.')
  }
}

const isNameTaken = (error: unknown): boolean =>
  error instanceof Error && 'constraint' in error && error.constraint === 'segments_name_is_unique'
