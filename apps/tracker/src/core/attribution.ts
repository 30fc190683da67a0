import type { Attribution, AttributedHow } from '@herald/contracts/conversion'
import type { Platform } from '@herald/contracts/platform'

/** A push that a user had, with when it was opened or clicked and when it was sent, in Unix milliseconds. */
export type SeenPush = {
  campaignId: string
  /** The day of the campaign in the ledger. */
  day: string
  subscriptionId: string
  platform: Platform
  variant: string
  touchedAt: number[]
  sentAt: number | null
  /** A silent send shows nothing, so having had it influences nobody. */
  silent: boolean
}

export type Cause = { push: SeenPush; how: AttributedHow }

const hourMs = 3_600_000

/**
 * Finds the push that led to a conversion, by the last touch before it: the push last opened or clicked, else the one last sent
 * (spec: conversions/attribution). Undefined when none lies in its window.
 */
export function causeOf(pushes: readonly SeenPush[], at: number, { directHours, influencedHours }: Attribution): Cause | undefined {
  const opened = lastOf(pushes, ({ touchedAt }) => touchedAt, at, directHours)
  if (opened) return { push: opened, how: 'direct' }
  if (influencedHours === 0) return undefined
  const sent = lastOf(pushes, ({ sentAt, silent }) => (sentAt === null || silent ? [] : [sentAt]), at, influencedHours)
  return sent && { push: sent, how: 'influenced' }
}

/** Gives the push with the latest of its times that lie before `at` by at most `hours`; of two at the same time, the newer campaign's. */
function lastOf(pushes: readonly SeenPush[], timesOf: (push: SeenPush) => number[], at: number, hours: number): SeenPush | undefined {
  let last: { push: SeenPush; time: number } | undefined
  for (const push of pushes) {
    for (const time of timesOf(push)) {
      if (time > at || time < at - hours * hourMs) continue
      if (!last || time > last.time || (time === last.time && push.campaignId > last.push.campaignId)) last = { push, time }
    }
  }
  return last?.push
}
