import { listOpenPushes } from '@herald/contracts/calls/audience'
import { listPushes } from '@herald/contracts/calls/tracker'
import type { EngagementKind } from '@herald/contracts/event'
import type { Listed } from '@herald/contracts/page'
import type { OutcomeKind } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'
import type { Bus } from '@herald/service/bus'
import { shownOpen, type ShownPush } from '../core/open-push.ts'

/** Which pushes are asked for. `from` and `to` (ISO) limit when a push ended, or when it was queued if it has no outcome yet. */
export type PushesAsked = {
  campaignId?: string | undefined
  userId?: string | undefined
  subscriptionId?: string | undefined
  outcome?: OutcomeKind | 'open' | undefined
  code?: string | undefined
  platform?: Platform | undefined
  /** Only pushes of which the device has reported this. */
  reported?: EngagementKind | undefined
  from?: string | undefined
  to?: string | undefined
}

/**
 * A cursor with this prefix continues in audience's open pushes; any other is the tracker's and continues in the ledger. The prefix followed by `end`
 * says that the next page begins at the ledger's first push.
 */
const openPrefix = 'open.'
const ledgerBegins = `${openPrefix}end`

/** A page of pushes with a report reads the ledger at most this often. */
const mostReads = 10

/**
 * Lists the pushes of which devices have reported something. The ledger is read on until the page is full, at most ten times, because a push has its
 * reports beside it; the next page goes on from there.
 */
async function listReported(
  needs: { bus: Pick<Bus, 'call'> },
  { reported, ...asked }: PushesAsked & { appId: string; cursor?: string | undefined; limit: number },
): Promise<Listed<ShownPush>> {
  const found: ShownPush[] = []
  let cursor: string | null = asked.cursor ?? ledgerBegins
  for (let reads = 0; reads < mostReads && cursor !== null && found.length < asked.limit; reads += 1) {
    const page: Listed<ShownPush> = await listShownPushes(needs, { ...asked, limit: asked.limit - found.length, cursor })
    found.push(...page.items.filter(({ engagements }) => engagements.some((kind) => kind === reported)))
    cursor = page.nextCursor
  }
  return { items: found, nextCursor: cursor }
}

/**
 * Lists a page of an app's pushes: first the open ones (without an outcome), from audience, then the tracker's ledger, newest campaign first. A page
 * may be empty: the list ends when `nextCursor` is null. Fault: invalid_body at `cursor`.
 */
export async function listShownPushes(
  { bus }: { bus: Pick<Bus, 'call'> },
  { reported, ...request }: PushesAsked & { appId: string; cursor?: string | undefined; limit: number },
): Promise<Listed<ShownPush>> {
  if (reported !== undefined) return listReported({ bus }, { reported, ...request })
  const { appId, outcome, cursor, limit, ...asked } = request
  const filters = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as typeof asked
  const isLedger = (outcome !== undefined && outcome !== 'open') || cursor === ledgerBegins
  const isOpenPart = !isLedger && (outcome === 'open' || cursor === undefined || cursor.startsWith(openPrefix))

  const after = cursor?.startsWith(openPrefix) ? cursor.slice(openPrefix.length) : cursor
  const open = isOpenPart
    ? await bus.call(listOpenPushes, { appId, limit, ...filters, ...(after === undefined ? {} : { cursor: after }) })
    : { items: [], nextCursor: null }
  const items = open.items.map(shownOpen)
  if (open.nextCursor !== null) return { items, nextCursor: openPrefix + open.nextCursor }
  if (outcome === 'open') return { items, nextCursor: null }
  if (items.length === limit) return { items, nextCursor: ledgerBegins }

  const goesOn = isOpenPart || cursor === ledgerBegins || cursor === undefined ? {} : { cursor }
  const ended = await bus.call(listPushes, {
    appId,
    ...filters,
    limit: limit - items.length,
    ...(outcome === undefined ? {} : { outcome }),
    ...goesOn,
  })
  // A push that ended after audience answered and before the tracker did is in both answers. The ledger's entry is the newer one, so the open one is
  // left out.
  const endedNow = new Set(ended.items.map(nameOf))
  return { items: [...items.filter((item) => !endedNow.has(nameOf(item))), ...ended.items], nextCursor: ended.nextCursor }
}

const nameOf = ({ campaignId, subscriptionId }: { campaignId: string; subscriptionId: string }): string => `${campaignId} ${subscriptionId}`
