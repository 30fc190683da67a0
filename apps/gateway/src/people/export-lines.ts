import { setTimeout as sleep } from 'node:timers/promises'
import { exportUsers, listFormerDevices, listOpenPushes, type OpenPush } from '@herald/contracts/calls/audience'
import { exportPushesOfCampaign, exportPushesOfDevice, listConversions } from '@herald/contracts/calls/tracker'
import { exportDeliveries } from '@herald/contracts/calls/webhooks'
import { Fault, notFound } from '@herald/contracts/fault'
import type { AddressForm, ExportedPush, MaskedUser } from '@herald/contracts/person'
import type { Bus } from '@herald/service/bus'
import { portionOf, type Portions } from '../core/portion.ts'
import { inPlaceOf, type HeavyReads } from '../heavy-reads.ts'

/**
 * An export makes its lines from bounded calls. The next call is made when the client has taken the lines before, so memory holds one answer. A call
 * is repeated when its service is busy or away.
 */

type Exporting = { bus: Pick<Bus, 'call'>; heavyReads: HeavyReads }
type OfCampaign = { appId: string; campaignId: string; after: string | null }
type OfAllUsers = { appId: string; after: string | null; segmentId?: string | undefined; addresses: AddressForm }

/** Exports the users of an app in the order of their ids, beginning after the id `after` (spec: administration/export-everybody). */
export const exportAllUsers = (exporting: Exporting, asked: OfAllUsers) =>
  inPlaceOf(exporting.heavyReads.exports, asked.appId, ended(usersAfter(exporting.bus, asked)))

/** Exports the pushes of a campaign, beginning after the push `after` (spec: administration/export-pushes). */
export const exportCampaign = (exporting: Exporting, asked: OfCampaign) =>
  inPlaceOf(exporting.heavyReads.exports, asked.appId, ended(pushesAfter(exporting.bus, asked)))

/** Exports one user with devices, preferences, pushes, conversions and webhook deliveries (spec: administration/export-person). */
export const exportOneUser = (exporting: Exporting, asked: { appId: string; user: MaskedUser }) =>
  inPlaceOf(exporting.heavyReads.exports, asked.appId, ended(allOf(exporting.bus, asked)))

/** Gives the portions, and at the end a line that says how many lines came before it. An answer without that line was cut off. */
async function* ended(portions: Portions): Portions {
  let count = 0
  for await (const portion of portions) {
    count += portion.count
    if (portion.count > 0) yield portion
  }
  yield { text: `${JSON.stringify({ type: 'end', count })}\n`, count: 0 }
}

async function* usersAfter(bus: Exporting['bus'], { after, ...asked }: OfAllUsers): Portions {
  for await (const { users } of pages(after, (place) => bus.call(exportUsers, { ...asked, after: place }))) yield portionOf('user', users)
}

async function* pushesAfter(bus: Exporting['bus'], { after, ...asked }: OfCampaign): Portions {
  const ask = async (place: string | null) => {
    const portion = await bus.call(exportPushesOfCampaign, { ...asked, after: place })
    if (!portion) throw notFound()
    return portion
  }
  for await (const { pushes } of pages(after, ask)) yield portionOf('push', pushes)
}

async function* allOf(bus: Exporting['bus'], { appId, user }: { appId: string; user: MaskedUser }): Portions {
  const { subscriptions, preferences, ...profile } = user
  const of = { appId, userId: user.id }
  yield portionOf('user', [profile])
  yield portionOf('subscription', subscriptions)
  yield portionOf(
    'preference',
    Object.entries(preferences).map(([category, subscribed]) => ({ category, subscribed })),
  )
  // Open pushes are read before pushes with an outcome. A push that ends in between is found twice, and is then deleted from `open`.
  const open = await openPushesOf(bus, of)
  for await (const subscriptionId of devicesOf(bus, of, subscriptions)) {
    for await (const { pushes } of pages(null, (after: string | null) =>
      bus.call(exportPushesOfDevice, { ...of, subscriptionId, after }),
    )) {
      for (const push of pushes) open.delete(keyOf(push))
      yield portionOf('push', pushes)
    }
  }
  yield portionOf('push', [...open.values()])
  for await (const { conversions } of pages(null, (after: string | null) => bus.call(listConversions, { ...of, after, limit: 500 })))
    yield portionOf('conversion', conversions)
  for await (const { deliveries } of pages(null, (after: number | null) => bus.call(exportDeliveries, { ...of, after: after ?? 0 })))
    yield portionOf('webhook_delivery', deliveries)
}

type OfUser = { appId: string; userId: string }
const keyOf = ({ campaignId, subscriptionId }: { campaignId: string; subscriptionId: string }) => campaignId + subscriptionId

/** Gives the ids of the devices that a user has, then of those that have left the user. Together they lead to all pushes of the user. */
async function* devicesOf(bus: Exporting['bus'], of: OfUser, present: readonly { id: string }[]): AsyncIterable<string> {
  const known = new Set(present.map(({ id }) => id))
  yield* known
  for await (const { subscriptionIds } of pages(null, (after: string | null) => bus.call(listFormerDevices, { ...of, after })))
    yield* subscriptionIds.filter((id) => !known.has(id))
}

/** Reads a user's open pushes. They are few, because each is on its way or waits for an attempt. */
async function openPushesOf(bus: Exporting['bus'], of: OfUser): Promise<Map<string, ExportedPush>> {
  const open = new Map<string, ExportedPush>()
  const ask = async (cursor: string | null) => {
    const { items, nextCursor } = await bus.call(listOpenPushes, { ...of, limit: 200, ...(cursor === null ? {} : { cursor }) })
    return { items, next: nextCursor }
  }
  for await (const { items } of pages(null, ask)) for (const push of items) open.set(keyOf(push), toExported(push))
  return open
}

function toExported(push: OpenPush): ExportedPush {
  const { tries, state: _, nextTryAt: __, ...shown } = push
  return { ...shown, id: null, variant: null, outcome: 'open', attempts: tries, settledAt: null, engagements: [] }
}

/**
 * Gives the pages of a list. A page is asked for when the page before it has been taken. `next` says where the next page begins; it is null on the
 * last page.
 */
async function* pages<Place, Page extends { next: Place | null }>(
  first: Place | null,
  ask: (after: Place | null) => Promise<Page>,
): AsyncIterable<Page> {
  for (let after = first; ;) {
    const page = await patiently(() => ask(after))
    yield page
    if (page.next === null) return
    after = page.next
  }
}

/** A call to a service that is busy or away is repeated for this long. */
const patienceMs = 30_000
const passing: readonly string[] = ['rate_limited', 'queue_unavailable', 'database_unavailable']

/** Makes a call, and repeats it while its service is busy or away; after 30 s of that it throws the Fault. */
async function patiently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const until = performance.now() + patienceMs
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!Fault.is(error) || !passing.includes(error.code) || performance.now() > until) throw error
      const seconds = error.retryAfterSeconds ?? 0.5
      await sleep(seconds * 1_000)
    }
  }
}
