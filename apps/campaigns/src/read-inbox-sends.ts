import type { FrozenSend } from '@herald/contracts/batch'
import type { Campaigns } from './campaigns.ts'
import { freeze } from './core/frozen-send.ts'
import { findInboxSends } from './store/campaigns.ts'
import { findNewestRecalls } from './store/recalls.ts'

/**
 * Gives the sends of an inbox as they were frozen, a replaced one with the text of its newest recall. Unknown campaigns, those that people do not find
 * in their inbox, and dismissed ones are left out (spec: recall/inbox).
 */
export async function readInboxSends(
  { db }: Pick<Campaigns, 'db'>,
  { appId, campaignIds }: { appId: string; campaignIds: string[] },
): Promise<{ sends: FrozenSend[] }> {
  const rows = await findInboxSends(db, appId, campaignIds)
  const recalls = await findNewestRecalls(db, appId, campaignIds)
  const sends = rows.flatMap((row) => {
    const recall = recalls.get(row.id)
    if (recall?.mode === 'dismiss') return []
    return [freeze(recall ? { ...row, content: recall.content, experiment: null } : row)]
  })
  return { sends }
}
