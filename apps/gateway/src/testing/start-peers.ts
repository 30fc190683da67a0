import type { AppName } from '@herald/contracts/call'
import { changeUsers, findConverters, registerSubscription } from '@herald/contracts/calls/audience'
import { readCampaign, sendNotification, sendTest } from '@herald/contracts/calls/campaigns'
import { readStats, recordConversions, trackEvents, type Engagement } from '@herald/contracts/calls/tracker'
import type { Campaign } from '@herald/contracts/campaign'
import { fault, type Fault } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import { openBus } from '@herald/service/bus'
import { testService } from '@herald/testing/service'
import * as shop from '../http/shop.ts'
import { givenCampaign, usualAnswers } from './peer-answers.ts'

type Asked = { subject: string; request: unknown }

/** Fakes of the services behind the gateway, on the same bus, and what they were asked. */
export type Peers = {
  registered: { appId: string; subscription: unknown }[]
  sent: { appId: string; idempotency: { key: string; fingerprint: string } | null; notification: unknown }[]
  tracked: Engagement[][]
  /** The app of each campaign that exists, by campaign id. */
  campaigns: Map<string, string>
  /** The ids of the campaigns that are tests. The fakes make a test end as soon as it is accepted. */
  tests: Set<string>
  /** The calls of the gateway that have a usual answer, and those that change users or send a test; newest last. */
  asked: Asked[]
  /** What the call with this subject answers from now on, in place of its usual answer; the function may throw a Fault. */
  answers: Map<string, (request: unknown) => unknown>
  /** When set, the fake of campaigns waits for it before it answers a send. */
  beforeSend: ((request: unknown) => Promise<void>) | undefined
  /** When set, the fakes refuse every call but the one for counters (`readStats`) with this Fault. */
  refusal: Fault | undefined
  stop: () => Promise<void>
}

export async function startPeers(natsUrl: string): Promise<Peers> {
  const services: { stop: () => Promise<void> }[] = []
  const open = async (name: AppName) => {
    const service = testService(name, { NATS_URL: natsUrl })
    services.push(service)
    return openBus(service)
  }
  const buses = {
    audience: await open('audience'),
    campaigns: await open('campaigns'),
    tracker: await open('tracker'),
    webhooks: await open('webhooks'),
    dispatcher: await open('dispatcher'),
  }
  const answered = new Map<string, { id: string; fingerprint: string }>()
  const peers: Peers = {
    registered: [],
    sent: [],
    tracked: [],
    campaigns: new Map(),
    tests: new Set(),
    asked: [],
    answers: new Map(),
    beforeSend: undefined,
    refusal: undefined,
    stop: async () => void (await Promise.all(services.map((service) => service.stop()))),
  }
  /** Notes a call, or refuses it when `refusal` is set. */
  const note = (subject: string, request: unknown) => {
    if (peers.refusal) throw peers.refusal
    peers.asked.push({ subject, request })
  }
  for (const app of ['audience', 'campaigns', 'tracker', 'webhooks', 'dispatcher'] as const)
    for (const [call, answer] of usualAnswers[app])
      buses[app].answer(call, async (request) => {
        note(call.subject, request)
        const other = peers.answers.get(call.subject)
        return other === undefined ? answer : other(request)
      })
  const { audience, campaigns, tracker } = buses

  audience.answer(registerSubscription, async (request) => {
    peers.registered.push(request)
    if (peers.refusal) throw peers.refusal
    return { id: newId(), platform: request.subscription.platform, userId: newId() }
  })
  audience.answer(changeUsers, async (request) => {
    note(changeUsers.subject, request)
    return { users: request.users.map(() => ({ id: shop.user.id, created: false })) }
  })

  audience.answer(findConverters, async (request) => {
    note(findConverters.subject, request)
    const other = peers.answers.get(findConverters.subject)
    if (other) return (await other(request)) as { users: null[] }
    return { users: request.users.map(() => ({ userId: shop.user.id, subscriptionIds: [shop.device.id] })) }
  })

  campaigns.answer(sendNotification, async (request) => {
    peers.sent.push(request)
    const { appId, idempotency } = request
    await peers.beforeSend?.(request)
    if (peers.refusal) throw peers.refusal
    const earlier = idempotency && answered.get(`${appId} ${idempotency.key}`)
    if (earlier && earlier.fingerprint !== idempotency.fingerprint) throw fault('idempotency_key_reused', 'Another request had this key.')
    const id = earlier?.id ?? newId()
    if (idempotency) answered.set(`${appId} ${idempotency.key}`, { id, fingerprint: idempotency.fingerprint })
    peers.campaigns.set(id, appId)
    return { id, status: 'sending', replayed: Boolean(earlier) }
  })
  campaigns.answer(sendTest, async (request) => {
    note(sendTest.subject, request)
    const { appId, idempotency } = request
    const earlier = idempotency && answered.get(`${appId} ${idempotency.key}`)
    const id = earlier?.id ?? newId()
    if (idempotency) answered.set(`${appId} ${idempotency.key}`, { id, fingerprint: idempotency.fingerprint })
    peers.campaigns.set(id, appId)
    peers.tests.add(id)
    return { id, status: 'sending' as const, replayed: Boolean(earlier), notQueued: [] }
  })
  campaigns.answer(readCampaign, async (request) => {
    if (peers.refusal) throw peers.refusal
    const other = peers.answers.get(readCampaign.subject)
    if (other) return (await other(request)) as Campaign | null
    if (peers.campaigns.get(request.campaignId) !== request.appId) return null
    const status = peers.tests.has(request.campaignId) ? ('sent' as const) : ('sending' as const)
    return { ...givenCampaign, id: request.campaignId, name: 'notification', status, transactional: true }
  })

  tracker.answer(readStats, async ({ appId, campaignId }) =>
    peers.campaigns.get(campaignId) === appId && peers.tracked.length > 0
      ? { stats: { queued: 4, sent: 3, failed: 1, skipped: 0, delivered: 2, opened: 1, clicked: 0, dismissed: 0 } }
      : null,
  )
  tracker.answer(recordConversions, async (request) => {
    note(recordConversions.subject, request)
    const other = peers.answers.get(recordConversions.subject)
    if (other) return (await other(request)) as { results: [] }
    return {
      results: request.conversions.map(() => ({
        status: 'counted' as const,
        attribution: { campaignId: shop.campaignId, how: 'direct' as const },
      })),
    }
  })
  tracker.answer(trackEvents, async ({ engagements }) => {
    if (peers.refusal) throw peers.refusal
    peers.tracked.push(engagements)
    return { counted: engagements.length }
  })
  return peers
}
