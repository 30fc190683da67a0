import type { FailureCode } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'
import { remedies } from '@herald/contracts/remedies'
import { LRUCache } from 'lru-cache'

export type Complaint = { appId: string; campaignId: string; platform: Platform; code: FailureCode; providerCode: string }
/** Tells the operator that a push did not go out. */
export type Complain = (complaint: Complaint) => void

const againAfterMs = 60_000
/** Bounds on the kinds that are remembered and the lines that are written in a minute: an app may bring any number of hosts, each with words of its own. */
const keptKinds = 1_000
const linesPerMinute = 100

/**
 * Warns the operator of pushes that failed or come back, and names the remedy: once a minute for each kind, which is an app, a platform, a code and the provider's
 * word. The line holds ids and codes only: never a token, an endpoint or a text.
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
