import type { FailureCode } from '@herald/contracts/outcome'
import type { AnswerMeaning } from './provider-answers.ts'

/** Upwards only: a provider that asked for a second gets at least that. */
const jitter = 0.25

export type NextTry = { is: 'retry'; inMs: number } | { is: 'failed'; code: FailureCode }

/**
 * What follows a try that may be repeated: the waits of `schedule` (seconds, by try) times 1 to 1.25, or as long as the
 * provider asked; never past the ttl, never after the last try. `tries` counts the one just made; `ttlLeftMs` is 0 for a
 * push that is now or never. `random` is 0 to 1.
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
