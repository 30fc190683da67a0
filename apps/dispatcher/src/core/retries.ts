import type { FailureCode } from '@herald/contracts/outcome'
import { providerRetrySeconds } from '@herald/contracts/topology'
import type { Verdict } from './provider-answers.ts'

/** Upwards only: a provider that asked for a second gets at least that. */
const jitter = 0.25

export type NextTry = { is: 'retry'; tries: number; retryAt: Date } | { is: 'failed'; code: FailureCode }

/**
 * What follows a try that may be repeated (providers.md, Retries): 1, 4, 16, 60 s times 1 to 1.25, or as long as the
 * provider asked; never past the ttl, never after the last try. `tries` counts the one just made; `ttlLeftMs` is 0 for a
 * push that is now or never. `random` is 0 to 1.
 */
export function nextTry(
  verdict: Verdict & { class: 'retry' | 'unknown' | 'suspect' },
  { tries, ttlLeftMs, now, random }: { tries: number; ttlLeftMs: number; now: Date; random: number },
): NextTry {
  const backoffMs = (providerRetrySeconds[Math.min(tries, providerRetrySeconds.length) - 1] ?? 1) * 1000 * (1 + jitter * random)
  const waitMs = verdict.retryAfterMs ?? backoffMs
  if (tries >= verdict.maxTries || waitMs >= ttlLeftMs) return { is: 'failed', code: verdict.code }
  return { is: 'retry', tries, retryAt: new Date(now.getTime() + waitMs) }
}
