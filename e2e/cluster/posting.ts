import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { http } from '@herald/testing/herald'
import type { Registered } from '../chaos/crowd.ts'
import type { Platform } from '../chaos/platform.ts'
import { campaignOf, recordedPushes, type Campaign } from '../chaos/scenario-result.ts'
import type { Scene } from '../chaos/scenario.ts'
import { untilAllSettled } from '../chaos/sends.ts'

/** An attempt to post a send: when it began, in milliseconds since 1970, how long it took, and what came of it (599: no answer). */
export type Attempt = { at: number; ms: number; status: number; code: string }

export type Posting = {
  attempts: Attempt[]
  /** The sends that were answered 202 so far, to one device each. */
  accepted: Campaign[]
  /** Ends the posting, and waits until each send that was begun has been answered 202. */
  stop: () => Promise<void>
}

/**
 * Posts `perSecond` sends a second, each to one device. A send that was not answered 202 is repeated every half second with its Idempotency-Key, as the
 * SDKs do. `name` begins the keys.
 */
export function startPosting({ herald, tenant }: Platform, devices: readonly Registered[], perSecond = 5, name = 'posted'): Posting {
  const attempts: Attempt[] = []
  const accepted: Campaign[] = []
  const underWay = new Set<Promise<void>>()
  const post = async (no: number) => {
    const device = devices[no % devices.length]
    const key = `${name}-${no}`
    const body = {
      target: { subscriptionIds: [device?.subscriptionId] },
      content: { _default: 'en', en: { title: key, body: 'One of five a second' } },
    }
    for (;;) {
      const at = Date.now()
      const headers = { authorization: `Bearer ${tenant.secretKey}`, 'idempotency-key': key }
      const answer = await http<{ id: string; error?: { code: string } }>('POST', `${herald.baseUrl}/v1/notifications`, {
        headers,
        body,
      }).catch(String)
      const [status, code] = typeof answer === 'string' ? [599, answer] : [answer.status, answer.body.error?.code ?? '']
      attempts.push({ at, ms: Date.now() - at, status, code })
      if (typeof answer !== 'string' && status === 202) {
        accepted.push({
          id: answer.body.id,
          devices: [device?.id ?? ''],
          status: 'sending',
          stats: { queued: 0, sent: 0, failed: 0, skipped: 0 },
        })
        return
      }
      await sleep(500)
    }
  }
  let no = 0
  const timer = setInterval(() => {
    const one = post(no).finally(() => underWay.delete(one))
    no += 1
    underWay.add(one)
  }, 1_000 / perSecond)
  return {
    attempts,
    accepted,
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
    },
  }
}

/** Sums up what clients saw from `since` on: answers other than 202 by status and code, for how many seconds there were any, and the slowest 202. */
export function seenByClients(attempts: readonly Attempt[], since: number) {
  const later = attempts.filter(({ at, ms }) => at + ms >= since)
  const refused = later.filter(({ status }) => status !== 202)
  const answers: Record<string, number> = {}
  for (const { status, code } of refused) answers[`${status} ${code}`.trim()] = (answers[`${status} ${code}`.trim()] ?? 0) + 1
  const ends = refused.map(({ at, ms }) => at + ms)
  return {
    posts: later.length,
    refused: answers,
    refusedForSeconds: refused.length === 0 ? 0 : seconds(Math.max(...ends) - since),
    slowestMs: Math.max(0, ...later.map(({ ms }) => ms)),
    slowest202Ms: Math.max(0, ...later.filter(({ status }) => status === 202).map(({ ms }) => ms)),
  }
}

/** The longest time from `since` on in which no further device got the push of a campaign, in seconds. */
export async function standstillOf({ tenant }: Platform, campaign: Campaign, since: number): Promise<number> {
  let last = since
  let longest = 0
  const served = new Set<string>()
  for await (const { at, msgId, deviceId } of recordedPushes(tenant)) {
    if (campaignOf(msgId) !== campaign.id || served.has(deviceId)) continue
    served.add(deviceId)
    if (at < since) continue
    longest = Math.max(longest, at - last)
    last = at
  }
  return seconds(longest)
}

/** How many warnings and errors all services have logged so far. */
export const linesLogged = ({ herald }: Platform): number =>
  readdirSync(join(herald.dataDir, 'logs'))
    .filter((file) => /^(gateway|audience|campaigns|dispatcher|tracker|webhooks)-/.test(file))
    .flatMap((file) => readFileSync(join(herald.dataDir, 'logs', file), 'utf8').split('\n'))
    .filter((line) => /"level":"(warn|error|fatal)"/.test(line)).length

export const seconds = (ms: number): number => Math.round(ms / 10) / 100

export const pause = (ms: number) => sleep(Math.max(0, ms))

/** Pushes of one dispatcher that may be under way (DISPATCH_WINDOW), so as many copies its death may make. */
export const window = 1_000

/** When a fault began, and how many lines were logged until then. */
export const faultBegins = (platform: Platform) => ({ since: Date.now(), lines: linesLogged(platform) })

/**
 * Ends the posting, waits until the large send and all posted ones are settled, and notes what clients saw since the fault began and how long the large
 * send stood still.
 */
export async function settle(
  { note }: Scene,
  { platform, large, posting }: { platform: Platform; large: Campaign; posting: Posting },
  { since, lines }: ReturnType<typeof faultBegins>,
) {
  await posting.stop()
  const campaigns = [large, ...posting.accepted]
  await untilAllSettled(platform.tenant, campaigns)
  const seen = seenByClients(posting.attempts, since)
  const largeStoodStillFor = await standstillOf(platform, large, since)
  note({ ...seen, largeStoodStillFor, linesLogged: linesLogged(platform) - lines })
  return { seen, largeStoodStillFor, campaigns }
}
