import {
  failCampaign,
  fanOutStarted,
  readCampaign as readCampaignCall,
  readSend as readSendCall,
  sendNotification as sendNotificationCall,
  settleCampaign,
} from '@herald/contracts/calls/campaigns'
import { queueUnavailable } from '@herald/contracts/fault'
import { openBus } from '@herald/service/bus'
import { group } from '@herald/service/group'
import { isDatabaseAway } from '@herald/service/health'
import { openDatabase } from '@herald/service/postgres'
import type { Service } from '@herald/service/run'
import { startSweep } from '@herald/service/sweep'
import { acceptNotifications, type Acceptable } from './accept-notifications.ts'
import { openBackground } from './background.ts'
import type { Config } from './config.ts'
import { openHousekeeping } from './keep-house.ts'
import { publishDue } from './publish-due.ts'
import { readCampaign } from './read-campaign.ts'
import { readSend } from './read-send.ts'
import { sendNotification } from './send-notification.ts'
import { markFailed, markSettled, markStarted } from './store/campaigns.ts'
import type { Tables } from './store/tables.ts'
import { takeDue } from './take-due.ts'

/** What is plugged into what: calls to flows, and the sweeps. */
export async function wireCampaigns(service: Service<Config>): Promise<void> {
  const { config } = service
  const { db, watch } = await openDatabase<Tables>(service, { url: config.DATABASE_URL_CAMPAIGNS, poolSize: config.DATABASE_POOL_SIZE })
  const bus = await openBus(service, watch)

  const background = openBackground(service, { what: 'pointers', limit: 1_000 })
  const pointAt = (campaignId: string) => background(() => publishDue(bus, campaignId, 0))

  // Per kind one commit is in flight, and everything that is ready goes along.
  const shared = { limit: 200, maxWaiting: 2_000, full: queueUnavailable, isShared: isDatabaseAway }
  const idempotencyHours = config.IDEMPOTENCY_RETENTION_HOURS
  const accept = group((items: Acceptable[]) => acceptNotifications({ db, idempotencyHours, pointAt }, items), shared)
  const all = (mark: (campaignIds: string[]) => Promise<void>) =>
    group(async (requests: { campaignId: string }[]): Promise<Record<string, never>[]> => {
      await mark(requests.map(({ campaignId }) => campaignId))
      return requests.map(() => ({}))
    }, shared)

  const sending = { db, bus, accept, idempotencyHours, defaultTtlSeconds: config.DEFAULT_TTL_SECONDS }
  bus.answer(sendNotificationCall, (request) => sendNotification(sending, request))
  bus.answer(readSendCall, (request) => readSend(db, request))
  bus.answer(
    fanOutStarted,
    all((campaignIds) => markStarted(db, campaignIds)),
  )
  bus.answer(
    settleCampaign,
    all((campaignIds) => markSettled(db, campaignIds)),
  )
  bus.answer(failCampaign, async ({ campaignId, ...failure }) => {
    await markFailed(db, campaignId, failure)
    return {}
  })
  bus.answer(readCampaignCall, (request) => readCampaign(db, request))

  startSweep(service, watch, 'due', () => takeDue({ db, bus }))
  startSweep(
    service,
    watch,
    'housekeeping',
    openHousekeeping({ db, idempotencyHours, transactionalDays: config.TRANSACTIONAL_RETENTION_DAYS }),
  )
}
