import type { Bus } from '@herald/service/bus'
import { publishDue } from './publish-due.ts'
import { takeDueCampaigns } from './store/campaigns.ts'
import type { Db } from './store/tables.ts'

/** Points again at campaigns that audience has not taken over: their pointer was lost, or the queue's store was. */
export async function takeDue({ db, bus }: { db: Db; bus: Pick<Bus, 'publish'> }): Promise<{ took: number }> {
  const due = await takeDueCampaigns(db, 200)
  // One that fails now is due again by itself.
  await Promise.allSettled(due.map(({ id, pointer_no }) => publishDue(bus, id, pointer_no)))
  return { took: due.length }
}
