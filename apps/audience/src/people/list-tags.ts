import type { TagUses } from '@herald/contracts/calls/audience'
import { tagUsesOf } from './core/tag-uses.ts'
import { keepAnswers } from './keep-answers.ts'
import { countTags } from './store/tags.ts'
import type { Db } from '../store/tables.ts'

/** Runs `work` on a database connection for reads, when the app (`turn`) has its turn. */
type Read = (work: (db: Db) => Promise<TagUses>, limits: { turn: string }) => Promise<TagUses>

/**
 * Makes the function that answers the tags of an app's users. An answer is kept for 30 s, because a form where the operator types the name of a tag
 * asks at each letter. Fault: `rate_limited`.
 */
export const openTags = (reads: Read, now?: () => number): ((asked: { appId: string }) => Promise<TagUses>) =>
  keepAnswers((appId) => reads(async (db) => tagUsesOf(await countTags(db, appId)), { turn: appId }), { keptMs: 30_000, most: 50, now })
