import type { TagUses } from '@herald/contracts/calls/audience'
import { tagUsesOf } from './core/tag-uses.ts'
import { countTags } from './store/tags.ts'
import type { Db } from '../store/tables.ts'

/** How long an answer is kept: a form where the operator types the name of a tag asks at each letter. */
const keptMs = 30_000
const mostApps = 50

/** Does work on a connection for reads, when it is the app's turn. */
type Read = (work: (db: Db) => Promise<TagUses>, limits: { turn: string }) => Promise<TagUses>

/** Makes the function that answers the tags of an app's users. A process counts an app's tags at most once in 30 s, however many callers ask. Fault: `rate_limited`. */
export function openTags(reads: Read, now: () => number = () => performance.now()): (asked: { appId: string }) => Promise<TagUses> {
  const kept = new Map<string, { counted: Promise<TagUses>; at: number }>()
  return async ({ appId }) => {
    const known = kept.get(appId)
    if (known && now() - known.at < keptMs) return known.counted
    const counted = reads(async (db) => tagUsesOf(await countTags(db, appId)), { turn: appId })
    kept.delete(appId)
    kept.set(appId, { counted, at: now() })
    // The first entry of the map is the one that was counted first.
    for (const oldest of kept.keys()) if (kept.size > mostApps) kept.delete(oldest)
    // A failure is not kept: the next caller starts a new count.
    counted.catch(() => kept.get(appId)?.counted === counted && kept.delete(appId))
    return counted
  }
}
