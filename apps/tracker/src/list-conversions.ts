import type { StoredConversion } from '@herald/contracts/conversion'
import { invalidField } from '@herald/contracts/fault'
import { findConversionsOfUser, type ConversionPlace } from './store/conversions.ts'
import type { Tracker } from './tracker.ts'

/** Gives the next conversions of a user, newest first (spec: conversions/person). Fault: invalid_body at `after`. */
export async function listConversions(
  { db }: Pick<Tracker, 'db'>,
  { appId, userId, after, limit }: { appId: string; userId: string; after: string | null; limit: number },
): Promise<{ conversions: StoredConversion[]; next: string | null }> {
  const found = await findConversionsOfUser(db, { appId, userId, after: after === null ? undefined : placeOf(after), limit })
  const page = found.slice(0, limit)
  const last = page.at(-1)?.place
  return {
    conversions: page.map(withoutPlace),
    next: found.length > limit && last ? `${last.at}.${last.hash}` : null,
  }
}

const withoutPlace = (row: Awaited<ReturnType<typeof findConversionsOfUser>>[number]): StoredConversion => {
  const { place: _, ...conversion } = row
  return conversion
}

function placeOf(after: string): ConversionPlace {
  const [, at, hash] = /^(\d{1,20})\.([0-9a-f]{64})$/.exec(after) ?? []
  if (at === undefined || hash === undefined) throw invalidField('after', 'must be the place where an earlier answer ended')
  return { at, hash }
}
