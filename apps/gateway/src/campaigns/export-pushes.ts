import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '@herald/contracts/fault'
import type { Bus } from '@herald/service/bus'
import type { Portions } from '../core/portion.ts'
import { csvLine } from './core/csv.ts'
import type { ShownPush } from '../core/open-push.ts'
import { listShownPushes, type PushesAsked } from './list-pushes.ts'

const perPage = 200
/** When audience or the tracker is too busy for a page (`rate_limited`), the page is asked for again: in all at most this many times. */
const mostTries = 5

const columns = {
  campaignId: ({ campaignId }) => campaignId,
  subscriptionId: ({ subscriptionId }) => subscriptionId,
  userId: ({ userId }) => userId,
  platform: ({ platform }) => platform,
  variant: ({ variant }) => variant,
  outcome: ({ outcome }) => outcome,
  code: ({ code }) => code,
  providerCode: ({ providerCode }) => providerCode,
  attempts: ({ attempts }) => attempts,
  settledAt: ({ settledAt }) => settledAt,
  engagements: ({ engagements }) => engagements.join(' '),
} satisfies Record<string, (push: ShownPush) => string | number | null>

/**
 * Gives an app's pushes and their outcomes as lines of a CSV. The next page is read when the caller has taken the page before it. Throws the Fault of
 * a page that cannot be read.
 */
export async function* exportPushes(needs: { bus: Pick<Bus, 'call'> }, asked: PushesAsked & { appId: string }): Portions {
  const cells = Object.values(columns)
  let text = csvLine(Object.keys(columns))
  let cursor: string | undefined
  for (;;) {
    const { items, nextCursor } = await patiently(() => listShownPushes(needs, { ...asked, limit: perPage, cursor }))
    for (const push of items) text += csvLine(cells.map((cell) => cell(push)))
    if (text !== '') yield { text, count: items.length }
    text = ''
    if (nextCursor === null) return
    cursor = nextCursor
  }
}

async function patiently<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read()
    } catch (error) {
      if (tries === mostTries || !Fault.is(error, 'rate_limited')) throw error
      await sleep(1000 * (error.retryAfterSeconds ?? 2))
    }
  }
}
