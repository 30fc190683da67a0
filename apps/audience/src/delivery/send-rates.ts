import type { FinishBatch, SendRate } from '@herald/contracts/batch'
import type { Log } from '@herald/service/log'
import { keepRecent } from '../core/recent.ts'
import type { Db } from '../store/tables.ts'
import { slowDown, writeRate, type RateNow } from './store/send-rates.ts'

/** A batch is taken when its turn is at most this far away; then it is sent a little early. */
export const earlyMs = 1_000
/** What this process knows of a rate is read again after this time, so that all processes see a change within it. */
const readAgainMs = 1_000
/** Credentials that nothing limits are looked at more rarely. */
const readFreeAgainMs = 5_000
/** Rates are slowed down when more than this share of the answers of a second are quota answers. */
const quotaShare = 0.01
const complainEveryMs = 60_000

/**
 * The rates that credentials share (spec: providers/quota). A row holds each, so that all dispatchers and audiences keep it together; a process writes
 * to it about ten times a second, or for each batch while the rate is low.
 */
export type SendRates = {
  /** Gives in how many milliseconds the next push with these credentials has its turn; 0 or less: now. */
  turnInMs(rate: SendRate): Promise<number>
  /** Notes how many pushes were taken. */
  took(rate: SendRate, pushes: number): Promise<void>
  /** Notes what the provider answered. Never rejects: what is lost here is noted with the next answers. */
  heard(finish: FinishBatch, appId: string): Promise<void>
}

type Known = RateNow & { at: number; taken: number; accepted: number; second: { at: number; answered: number; refused: number } }

export function openSendRates({ db, log }: { db: Db; log: Log }): SendRates {
  const known = keepRecent<Known>(5_000)
  const complainedAt = keepRecent<number>(1_000)

  const learn = (scope: string, told: RateNow): Known => {
    const before = known.get(scope)
    const second = before?.second ?? { at: 0, answered: 0, refused: 0 }
    const next = { ...told, at: performance.now(), taken: before?.taken ?? 0, accepted: before?.accepted ?? 0, second }
    known.set(scope, next)
    return next
  }
  const write = async (rate: SendRate): Promise<Known> => {
    const { scope } = rate
    const before = known.get(scope)
    const [taken, accepted] = [before?.taken ?? 0, before?.accepted ?? 0]
    if (before) Object.assign(before, { taken: 0, accepted: 0, at: performance.now() })
    return learn(scope, await writeRate(db, rate, { taken, accepted }))
  }
  const turnOf = ({ aheadMs, at, perSecond, taken }: Known): number =>
    perSecond === null ? 0 : aheadMs - (performance.now() - at) + (taken / perSecond) * 1000

  return {
    async turnInMs(rate) {
      const one = known.get(rate.scope)
      const isFresh = one && performance.now() - one.at < (one.perSecond === null ? readFreeAgainMs : readAgainMs)
      return turnOf(isFresh ? one : await write(rate))
    },
    async took(rate, pushes) {
      const one = known.get(rate.scope) ?? (await write(rate))
      one.taken += pushes
      if (one.perSecond !== null && one.taken >= one.perSecond / 10) await write(rate)
    },
    async heard({ rate }, appId) {
      if (!rate) return
      const { scope, platform, accepted, answered, refused, takenAgoMs } = rate
      try {
        const one = known.get(scope) ?? (await write(rate))
        one.accepted += accepted
        if (performance.now() - one.second.at > 1_000) one.second = { at: performance.now(), answered: 0, refused: 0 }
        one.second.answered += answered
        one.second.refused += refused
        if (refused === 0 || one.second.refused <= quotaShare * one.second.answered) return
        await write(rate)
        const told = await slowDown(db, { scope, appId, takenAgoMs })
        if (told) learn(scope, told)
        if (performance.now() - (complainedAt.get(scope) ?? Number.NEGATIVE_INFINITY) < complainEveryMs) return
        complainedAt.set(scope, performance.now())
        const text =
          'the provider’s quota for these credentials is used up: their pushes are slowed down and none is lost; ask for a higher quota'
        log.warn({ appId, platform, perSecond: told?.perSecond ?? null }, text)
      } catch (error) {
        log.debug({ appId, platform, err: error }, 'a rate was not written')
      }
    },
  }
}
