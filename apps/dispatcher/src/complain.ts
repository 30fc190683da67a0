import type { FailureCode } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'
import { remedies } from '@herald/contracts/remedies'
import { LRUCache } from 'lru-cache'

export type Complaint = { appId: string; campaignId: string; platform: Platform; code: FailureCode; providerCode: string }
/** Tells the operator of a push that did not go out. */
export type Complain = (complaint: Complaint) => void

const againAfterMs = 60_000
/** Kinds that are remembered, and lines that are written in a minute at most: an app may bring any number of hosts with any number of words. */
const keptKinds = 1_000
const linesPerMinute = 100

/**
 * The first push of a kind (app, platform, code and the provider's word) in a minute that failed or comes back is a warning that names the
 * remedy. It holds ids and codes only: never a token, an endpoint or a text.
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
    if (minute.lines === linesPerMinute) log.warn({ linesPerMinute }, 'further kinds of failure in this minute are not written')
  }
}
