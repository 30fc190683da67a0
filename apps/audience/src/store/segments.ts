import type { Db } from './tables.ts'

/** The definition of a saved segment, or null when it is unknown or another app's. */
export async function findSegment(
  db: Db,
  { appId, segmentId }: { appId: string; segmentId: string },
): Promise<{ definition: unknown } | null> {
  const row = await db
    .selectFrom('segments')
    .select('definition')
    .where('id', '=', segmentId)
    .where('app_id', '=', appId)
    .executeTakeFirst()
  return row ?? null
}
