import type { FailureCode } from '@herald/contracts/outcome'
import type { AnswerMeaning } from './answer-meaning.ts'

/**
 * Gives how many milliseconds of its ttl a push has left; 0 when it is used up. A ttl of 0 sets no time limit for its one attempt, and the provider
 * is told 0 (spec: sending/ttl-zero).
 */
export const ttlLeftMs = (ttlSeconds: number, elapsedMs: number): number => Math.max(0, ttlSeconds * 1000 - elapsedMs)

export const isExpired = (ttlSeconds: number, elapsedMs: number): boolean => ttlSeconds > 0 && ttlLeftMs(ttlSeconds, elapsedMs) === 0

/**
 * Gives the ttl that the provider is told: the seconds that are left, rounded up, because half a second rounded down to 0 would mean "now or never".
 */
export const secondsLeft = (ttlSeconds: number, elapsedMs: number): number => Math.ceil(ttlLeftMs(ttlSeconds, elapsedMs) / 1000)

/** A wait is made longer by a random part of itself, at most this part, so that pushes that were refused together do not come back together. */
const jitter = 0.25

/** A push that met a quota waits at least this long. */
const leastQuotaMs = 10_000

export type NextTry = { is: 'retry'; inMs: number } | { is: 'failed'; code: FailureCode }

/**
 * Decides what follows an attempt that may be repeated. `tries`: the attempts, this one included. `ttlLeftMs`: 0 for a ttl of 0. `schedule`: least
 * waits, in seconds. `random`: 0 to 1 makes waits 1 to 1.25 times as long.
 */
export function nextTry(
  meaning: AnswerMeaning & { class: 'retry' | 'quota' | 'unknown' | 'suspect' },
  { tries, ttlLeftMs, schedule, random }: { tries: number; ttlLeftMs: number; schedule: readonly number[]; random: number },
): NextTry {
  // A quota counts no attempt, so the schedule would stay at its first wait.
  const backoffMs = meaning.class === 'quota' ? leastQuotaMs : (schedule[Math.min(tries, schedule.length) - 1] ?? 1) * 1000
  const waitMs = Math.max(meaning.retryAfterMs ?? 0, backoffMs) * (1 + jitter * random)
  const isLast = meaning.class !== 'quota' && tries >= meaning.maxTries
  // A wait that would outlast the ttl is useless.
  if (isLast || waitMs >= ttlLeftMs) return { is: 'failed', code: meaning.code }
  return { is: 'retry', inMs: waitMs }
}
