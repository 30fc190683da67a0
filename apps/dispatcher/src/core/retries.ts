import type { FailureCode } from '@herald/contracts/outcome'
import type { AnswerMeaning } from './answer-meaning.ts'

/**
 * How many milliseconds of its ttl a push has left; 0 when it is used up, and the push is skipped. A ttl of 0 means now or never: such a push
 * has all the time it needs for its one try, and the provider is told 0 (spec: sending/ttl-zero).
 */
export const ttlLeftMs = (ttlSeconds: number, elapsedMs: number): number => Math.max(0, ttlSeconds * 1000 - elapsedMs)

export const isExpired = (ttlSeconds: number, elapsedMs: number): boolean => ttlSeconds > 0 && ttlLeftMs(ttlSeconds, elapsedMs) === 0

/** The ttl that the provider is told: the whole seconds that are left, rounded up, so that a last half second does not become "now or never". */
export const secondsLeft = (ttlSeconds: number, elapsedMs: number): number => Math.ceil(ttlLeftMs(ttlSeconds, elapsedMs) / 1000)

/** A wait only gets longer by it: a provider that asked for a second gets at least a second. */
const jitter = 0.25

export type NextTry = { is: 'retry'; inMs: number } | { is: 'failed'; code: FailureCode }

/**
 * Says what follows a try that may be repeated. The push waits as long as `schedule` says for this try (in seconds, times 1 to 1.25), or as long as the
 * provider asked. It fails when the wait would outlast the ttl, or when this was the last try. `tries` counts the try just made; `ttlLeftMs` is 0 for a
 * push that is now or never; `random` is 0 to 1.
 */
export function nextTry(
  meaning: AnswerMeaning & { class: 'retry' | 'unknown' | 'suspect' },
  { tries, ttlLeftMs, schedule, random }: { tries: number; ttlLeftMs: number; schedule: readonly number[]; random: number },
): NextTry {
  const backoffMs = (schedule[Math.min(tries, schedule.length) - 1] ?? 1) * 1000 * (1 + jitter * random)
  const waitMs = meaning.retryAfterMs ?? backoffMs
  if (tries >= meaning.maxTries || waitMs >= ttlLeftMs) return { is: 'failed', code: meaning.code }
  return { is: 'retry', inMs: waitMs }
}
