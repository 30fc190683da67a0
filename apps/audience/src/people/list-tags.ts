import type { TagUses } from '@herald/contracts/calls/audience'
import { tagUsesOf } from './core/tag-uses.ts'
import { keepAnswers } from './keep-answers.ts'
import { countTags } from './store/tags.ts'
import type { Db } from '../store/tables.ts'

/** A function that runs `work` on a database connection for reads, when it is the turn of the app. */
type Read = (work: (db: Db) => Promise<TagUses>, limits: { appId: string }) => Promise<TagUses>

/**
 * Makes the function that answers which tags an app's users have (`countTags`). Answers are kept for 30 s, because a form in which an operator types
 * a tag's name may ask at each letter. Fault: `rate_limited`.
 */
export const openTags = (reads: Read, now?: () => number): ((asked: { appId: string }) => Promise<TagUses>) =>
  keepAnswers((appId) => reads(async (db) => tagUsesOf(await countTags(db, appId)), { appId }), { keptMs: 30_000, most: 50, now })
