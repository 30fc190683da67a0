import type { Call } from '@herald/contracts/call'
import { confirmAudienceAnnouncements } from '@herald/contracts/calls/audience'
import { confirmTrackerAnnouncements } from '@herald/contracts/calls/tracker'
import { Fault, queueUnavailable } from '@herald/contracts/fault'
import { announcements } from '@herald/contracts/topology'
import { openBus } from '@herald/service/bus'
import { group } from '@herald/service/group'
import { openDatabase } from '@herald/service/postgres'
import type { Service } from '@herald/service/run'
import { collectEvents } from './collect-events.ts'
import type { Config } from './config.ts'

/** What is plugged into what: announcements to the flow, and per owner one confirmation in flight for all that are ready. */
export async function wireWebhooks(service: Service<Config>): Promise<void> {
  const { DATABASE_URL_WEBHOOKS: url, DATABASE_POOL_SIZE: poolSize } = service.config
  const { watch } = await openDatabase(service, { url, poolSize })
  const bus = await openBus(service, watch)

  const confirmer = (owner: Call<{ announcementIds: string[] }, Record<string, never>>) =>
    group(
      async (announcementIds: string[]) => {
        const answer = await bus.call(owner, { announcementIds })
        return announcementIds.map(() => answer)
      },
      { limit: 200, maxWaiting: 1_000, full: queueUnavailable, isShared: (error) => Fault.is(error) },
    )
  const confirm = { tracker: confirmer(confirmTrackerAnnouncements), audience: confirmer(confirmAudienceAnnouncements) }

  await bus.consume(announcements, { slots: 50 }, (announcement) => collectEvents(confirm, announcement))
}
