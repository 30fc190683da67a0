import { batchSize, type FinishBatch, type ProviderRate } from '@herald/contracts/batch'
import type { Log } from '@herald/service/log'
import { LRUCache } from 'lru-cache'
import type { Db } from '../store/tables.ts'
import { findSizes, pause, slowDown, writeRate, type RateNow } from './store/provider-rates.ts'

/** What this process knows of a rate is read again after this time, so that all processes see a change within it. */
const readAgainMs = 1_000
/** Credentials that are far from their limit are looked at more rarely. */
const readFreeAgainMs = 5_000
const farMs = -30_000
/** A batch waits at most this long before its turn is looked at again, since the rate may have grown. */
const longestWaitMs = 10_000
/** So many answers say what share of them are quota answers. */
const leastAnswers = 20
/** Rates are slowed down when more than this share of the answers of a second are quota answers. */
const quotaShare = 0.01
const complainEveryMs = 60_000
/**
 * After a quota answer nothing is taken for this long. Then the pushes that were on their way have been answered, and show how much the provider took.
 */
const pauseMs = 1_000

/**
 * The rates that credentials share (spec: providers/quota). A row holds each, so that all dispatchers and audiences keep it together; a process writes
 * to it about ten times a second, or for each batch while the rate is low.
 */
export type ProviderRates = {
  /** Decides which batches have a turn now, in the order asked. Gives those that have none yet, and when each has it. */
  withoutTurn(asked: { batchId: string; rate: ProviderRate | null }[]): Promise<{ batchId: string; inMs: number }[]>
  /** Notes how many pushes were taken. */
  took(rate: ProviderRate, pushes: number): Promise<void>
  /** Notes what the provider answered. Never rejects: what is lost here is noted with the next answers. */
  heard(finish: FinishBatch, appId: string): Promise<void>
}

type Known = RateNow & { at: number; taken: number; accepted: number; second: { at: number; answered: number; refused: number } }

export function openProviderRates({ db, log }: { db: Db; log: Log }, restMs = pauseMs): ProviderRates {
  const known = new LRUCache<string, Known>({ max: 5_000 })
  const complainedAt = new LRUCache<string, number>({ max: 1_000 })
  /** The credentials that rest after a quota answer, as far as this process has seen it. */
  const pausing = new Set<string>()

  const learn = (scope: string, told: RateNow): Known => {
    const before = known.get(scope)
    const second = before?.second ?? { at: 0, answered: 0, refused: 0 }
    const next = { ...told, at: performance.now(), taken: before?.taken ?? 0, accepted: before?.accepted ?? 0, second }
    known.set(scope, next)
    return next
  }
  const write = async (rate: ProviderRate): Promise<Known> => {
    const { scope } = rate
    const before = known.get(scope)
    const [taken, accepted] = [before?.taken ?? 0, before?.accepted ?? 0]
    if (before) Object.assign(before, { taken: 0, accepted: 0, at: performance.now() })
    return learn(scope, await writeRate(db, rate, { taken, accepted }))
  }
  const current = async (rate: ProviderRate): Promise<Known> => {
    const one = known.get(rate.scope)
    const isFresh = one && performance.now() - one.at < (one.perSecond === null || turnOf(one) < farMs ? readFreeAgainMs : readAgainMs)
    return isFresh ? one : write(rate)
  }
  const turnOf = ({ aheadMs, at, perSecond, taken }: Known): number =>
    perSecond === null ? 0 : aheadMs - (performance.now() - at) + (taken / perSecond) * 1000

  const slowAfterPause = async (rate: ProviderRate, appId: string, takenAgoMs: number): Promise<void> => {
    const { scope, platform } = rate
    pausing.delete(scope)
    await write(rate)
    const told = await slowDown(db, { scope, appId, takenAgoMs: takenAgoMs + restMs })
    if (told) learn(scope, told)
    if (performance.now() - (complainedAt.get(scope) ?? Number.NEGATIVE_INFINITY) < complainEveryMs) return
    complainedAt.set(scope, performance.now())
    const text =
      'the provider’s quota for these credentials is used up: their pushes are slowed down and none is lost; ask for a higher quota'
    log.warn({ appId, platform, perSecond: told?.perSecond ?? null }, text)
  }

  return {
    async withoutTurn(asked) {
      const limited: { batchId: string; scope: string; perSecond: number }[] = []
      const turns = new Map<string, number>()
      for (const { batchId, rate } of asked) {
        if (!rate) continue
        const one = await current(rate)
        if (one.perSecond === null) continue
        turns.set(rate.scope, turnOf(one))
        limited.push({ batchId, scope: rate.scope, perSecond: one.perSecond })
      }
      // Usually the minute's worth is far from used up, whatever these batches hold.
      if (limited.every(({ scope, perSecond }) => (turns.get(scope) ?? 0) + ((limited.length * batchSize) / perSecond) * 1000 <= 0))
        return []
      const sizes = await findSizes(
        db,
        limited.map(({ batchId }) => batchId),
      )
      return limited.flatMap(({ batchId, scope, perSecond }) => {
        // A batch of more than a minute's worth goes out when that much is there.
        const inMs = (turns.get(scope) ?? 0) + Math.min((sizes.get(batchId) ?? 0) / perSecond, 60) * 1000
        turns.set(scope, inMs)
        return inMs > 0 ? [{ batchId, inMs: Math.min(inMs, longestWaitMs) }] : []
      })
    },
    async took(rate, pushes) {
      try {
        const one = known.get(rate.scope) ?? (await write(rate))
        one.taken += pushes
        if (one.perSecond !== null && one.taken >= one.perSecond / 10) await write(rate)
      } catch (error) {
        // The batches are taken: an error here must not make their takers ask again.
        log.debug({ platform: rate.platform, err: error }, 'a rate was not written')
      }
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
        const { second } = one
        if (refused === 0 || second.answered < leastAnswers || second.refused <= quotaShare * second.answered || pausing.has(scope)) return
        pausing.add(scope)
        await write(rate)
        const paused = await pause(db, { scope, takenAgoMs, ms: restMs })
        if (!paused) return void pausing.delete(scope)
        learn(scope, paused)
        const slow = () => slowAfterPause(rate, appId, takenAgoMs)
        if (restMs === 0) await slow()
        else
          setTimeout(
            () => void slow().catch((error: unknown) => log.debug({ appId, platform, err: error }, 'a rate was not written')),
            restMs,
          ).unref()
      } catch (error) {
        pausing.delete(scope)
        log.debug({ appId, platform, err: error }, 'a rate was not written')
      }
    },
  }
}
