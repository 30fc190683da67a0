import type { FailureCode } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'
import { remedies } from '@herald/contracts/remedies'
import { LRUCache } from 'lru-cache'

export type Complaint = { appId: string; campaignId: string; platform: Platform; code: FailureCode; providerCode: string }
/** Reports a push that failed or is sent again later, so that the operator may be warned. */
export type Complain = (complaint: Complaint) => void

const againAfterMs = 60_000
/**
 * At most so many kinds of failures are remembered, and `linesPerMinute` lines written in a minute: an app may use any number of push services, each
 * with words of its own.
 */
const keptKinds = 1_000
const linesPerMinute = 100

/**
 * Warns the operator of pushes that failed or wait, and says what to do: at most one line a minute for each app, platform, code and provider's word.
 * No line holds a token, an endpoint or a text.
 */
export function openComplaints(log: { warn(fields: object, text: string): void }, now: () => number = () => performance.now()): Complain {
  const saidAt = new LRUCache<string, number>({ max: keptKinds })
  let minute = { since: Number.NEGATIVE_INFINITY, lines: 0 }
  return ({ appId, campaignId, platform, code, providerCode }) => {
    const remedy = remedies[code]
    if (remedy === null) return
    const kind = `${appId} ${platform} ${code} ${providerCode}`
    if (now() - (saidAt.get(kind) ?? Number.NEGATIVE_INFINITY) < againAfterMs) return
    saidAt.set(kind, now())
    if (now() - minute.since >= againAfterMs) minute = { since: now(), lines: 0 }
    minute.lines += 1
    if (minute.lines > linesPerMinute) return
    log.warn({ appId, campaignId, platform, code, providerCode }, `pushes do not go out: ${remedy}`)
    if (minute.lines === linesPerMinute) log.warn({ linesPerMinute }, 'no further kinds of failure are written in this minute')
  }
}
