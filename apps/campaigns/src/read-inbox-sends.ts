import type { FrozenSend } from '@herald/contracts/batch'
import type { Campaigns } from './campaigns.ts'
import { freeze } from './core/frozen-send.ts'
import { findInboxSends } from './store/campaigns.ts'

/** Gives the sends of an inbox as they were frozen. Unknown campaigns, and those that people do not find in their inbox, are left out. */
export const readInboxSends = async (
  { db }: Pick<Campaigns, 'db'>,
  { appId, campaignIds }: { appId: string; campaignIds: string[] },
): Promise<{ sends: FrozenSend[] }> => ({ sends: (await findInboxSends(db, appId, campaignIds)).map(freeze) })
