import type { TagUses } from '@herald/contracts/calls/audience'
import { tagUsesOf } from './core/tag-uses.ts'
import { countTags } from './store/tags.ts'
import type { Db } from '../store/tables.ts'

/** What was read answers so long: whoever types the name of a tag asks with each letter. */
const keptMs = 30_000
const mostApps = 50

/** Reads with the pool of reads, by the turns of apps. */
type Read = (work: (db: Db) => Promise<TagUses>, limits: { turn: string }) => Promise<TagUses>

/** The tags of an app's users, counted at most once in 30 s by a process, however many ask. Fault: rate_limited. */
export function openTags(reads: Read, now: () => number = () => performance.now()): (asked: { appId: string }) => Promise<TagUses> {
  const kept = new Map<string, { counted: Promise<TagUses>; at: number }>()
  return async ({ appId }) => {
    const known = kept.get(appId)
    if (known && now() - known.at < keptMs) return known.counted
    const counted = reads(async (db) => tagUsesOf(await countTags(db, appId)), { turn: appId })
    kept.delete(appId)
    kept.set(appId, { counted, at: now() })
    // The map is in the order of counting.
    for (const oldest of kept.keys()) if (kept.size > mostApps) kept.delete(oldest)
    // What failed is not kept: whoever asks next begins anew.
    counted.catch(() => kept.get(appId)?.counted === counted && kept.delete(appId))
    return counted
  }
}
