import { explainDevices, findDevicesOf, type ExplainedDevice } from '@herald/contracts/calls/audience'
import { explainCampaign } from '@herald/contracts/calls/campaigns'
import { explainPushes } from '@herald/contracts/calls/tracker'
import { mostExplained, type Explained } from '@herald/contracts/explain'
import { notFound } from '@herald/contracts/fault'
import { traceOf, withRecall } from './core/explain.ts'
import type { Gateway } from '../gateway.ts'
import { getApp } from '../apps/store/apps.ts'

export type Whom = { subscriptionId: string } | { userId: string } | { externalId: string }

/**
 * The tracker and then audience are asked at most this many times in all. They are asked again only when a push moved on between their two answers
 * (`hasMovedOn`).
 */
const mostLooks = 3

/**
 * Explains why devices got a send or did not (spec: administration/explain). It asks campaigns for the frozen send, tracker for its pushes, then
 * audience for the devices and unfinished batches. Writes nothing. Fault: not_found.
 */
export async function explainSend(
  { db, bus }: Pick<Gateway, 'db' | 'bus'>,
  { appId, campaignId, whom }: { appId: string; campaignId: string; whom: Whom },
): Promise<Explained> {
  const { settings } = await getApp(db, appId)
  const of = { appId, campaignId }
  const campaign = await bus.call(explainCampaign, of)
  if (!campaign) throw notFound()
  const found = 'subscriptionId' in whom ? null : await bus.call(findDevicesOf, { appId, user: whom })
  if (!found && 'externalId' in whom) throw notFound()
  const userId = found?.user.id ?? ('userId' in whom ? whom.userId : null)
  const ids = 'subscriptionId' in whom ? [whom.subscriptionId] : (found?.subscriptionIds ?? [])

  const { status, send, failure } = campaign
  const target = campaign.target ?? { kind: 'segment' as const, segment: null }
  const begins = status === 'draft' || status === 'scheduled' || status === 'active'
  const look = async () => {
    const ledger = await bus.call(explainPushes, { ...of, subscriptionIds: ids, userId })
    const pushes = new Map(ledger.pushes.map((push) => [push.subscriptionId, push]))
    const devices = [...new Set([...ids, ...pushes.keys()])].slice(0, mostExplained).map((subscriptionId) => {
      return { subscriptionId, no: pushes.get(subscriptionId)?.no ?? null }
    })
    const here =
      devices.length > 0
        ? await bus.call(explainDevices, { ...of, begins, startedAt: campaign.startedAt, send, target, settings, devices })
        : undefined
    return { ledger, pushes, here, devices: here?.devices ?? [] }
  }
  const first =
    target.kind === 'reached' ? await bus.call(explainPushes, { appId, campaignId: target.of, subscriptionIds: ids, userId }) : undefined
  let seen = await look()
  for (let looks = 1; looks < mostLooks && hasMovedOn(seen); looks += 1) seen = await look()

  const { ledger, pushes, here } = seen
  const devices = seen.devices
    .filter(({ subscriptionId, platform }) => platform !== null || pushes.has(subscriptionId))
    .map((device) => (send.recall && target.kind === 'reached' && first ? withRecall(device, send.recall, target, first) : device))
  if (devices.length === 0 && !found) throw notFound()
  const startedAt = here?.startedAt ?? campaign.startedAt
  const definition = target.kind === 'segment' ? target.segment : null
  const isPast = ledger.ledger === 'past'
  const context = { ...campaign, inbox: send.inbox === true, failure: failure ?? here?.failure ?? null, startedAt, definition, isPast }
  return {
    campaignId,
    status,
    startedAt,
    fannedOutAt: ledger.fannedOutAt,
    user: found?.user ?? devices[0]?.owner ?? userOf(pushes.get(devices[0]?.subscriptionId ?? '')?.userId),
    devices: devices.map((device) => traceOf(context, device, pushes.get(device.subscriptionId))),
    ...(campaign.recalls.length > 0 ? { recalls: campaign.recalls } : {}),
  }
}

const userOf = (id: string | undefined) => (id === undefined ? null : { id, externalId: null })

type Seen = {
  ledger: { fannedOutAt: string | null }
  pushes: ReadonlyMap<string, { end: unknown }>
  devices: readonly ExplainedDevice[]
}

/** Whether a push moved on between the tracker's answer and audience's, so that the two do not fit together. */
const hasMovedOn = ({ ledger, pushes, devices }: Seen): boolean =>
  devices.some(({ subscriptionId, push: { is } }) => {
    const push = pushes.get(subscriptionId)
    // Either the push has ended: the tracker had no outcome yet, and audience no longer has its batch. Or the tracker did not know the push, and the
    // fan-out, which the tracker saw unfinished, has passed the device.
    return push ? push.end === null && is !== 'open' : is === 'past' && ledger.fannedOutAt === null
  })
