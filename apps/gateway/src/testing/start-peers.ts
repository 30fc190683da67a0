import type { AppName } from '@herald/contracts/call'
import { registerSubscription } from '@herald/contracts/calls/audience'
import { readCampaign, sendNotification } from '@herald/contracts/calls/campaigns'
import { listPushes, readStats, trackEvents, type Engagement } from '@herald/contracts/calls/tracker'
import { fault } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { openBus } from '@herald/service/bus'
import { testService } from '@herald/testing/service'

/** The apps behind the gateway, played on the same bus, and what they were asked. */
export type Peers = {
  registered: { appId: string; subscription: unknown }[]
  sent: { appId: string; idempotency: { key: string; fingerprint: string } | null; notification: unknown }[]
  tracked: Engagement[][]
  /** Campaigns that exist, by id, with the app they belong to. */
  campaigns: Map<string, string>
  stop: () => Promise<void>
}

export async function startPeers(natsUrl: string): Promise<Peers> {
  const services = (['audience', 'campaigns', 'tracker'] as const).map((name: AppName) => testService(name, { NATS_URL: natsUrl }))
  const [audience, campaigns, tracker] = await Promise.all(services.map((service) => openBus(service)))
  if (!audience || !campaigns || !tracker) throw new Error('three buses were opened')
  const answered = new Map<string, { id: string; fingerprint: string }>()
  const peers: Peers = {
    registered: [],
    sent: [],
    tracked: [],
    campaigns: new Map(),
    stop: async () => void (await Promise.all(services.map((service) => service.stop()))),
  }

  audience.answer(registerSubscription, async (request) => {
    peers.registered.push(request)
    return { id: newId(), platform: request.subscription.platform, userId: newId() }
  })
  campaigns.answer(sendNotification, async (request) => {
    peers.sent.push(request)
    const { appId, idempotency } = request
    const earlier = idempotency && answered.get(`${appId} ${idempotency.key}`)
    if (earlier && earlier.fingerprint !== idempotency.fingerprint) throw fault('idempotency_key_reused', 'Another request had this key.')
    const id = earlier?.id ?? newId()
    if (idempotency) answered.set(`${appId} ${idempotency.key}`, { id, fingerprint: idempotency.fingerprint })
    peers.campaigns.set(id, appId)
    return { id, status: 'sending', replayed: Boolean(earlier) }
  })
  campaigns.answer(readCampaign, async ({ appId, campaignId }) =>
    peers.campaigns.get(campaignId) === appId
      ? { id: campaignId, name: 'notification', status: 'sending', transactional: true, createdAt: '2026-01-01T00:00:00.000Z' }
      : null,
  )
  tracker.answer(readStats, async ({ appId, campaignId }) =>
    peers.campaigns.get(campaignId) === appId && peers.tracked.length > 0
      ? { stats: { queued: 4, sent: 3, failed: 1, skipped: 0, delivered: 2, opened: 1, clicked: 0, dismissed: 0 } }
      : null,
  )
  tracker.answer(trackEvents, async ({ engagements }) => {
    peers.tracked.push(engagements)
    return { counted: engagements.length }
  })
  tracker.answer(listPushes, async () => ({ items: [], nextCursor: null }))
  return peers
}
