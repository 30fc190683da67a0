import { z } from 'zod'
import { providerKinds } from '../app.ts'
import { call } from '../call.ts'
import type { FailureCode } from '../outcome.ts'
import { Id } from '../text.ts'

/** A check of credentials may take this long, from connecting to the provider to its answer. */
export const checkLimitMs = 10_000

/**
 * Whether a provider accepts an app's credentials. `code` is the failure code that a push would get. `providerCode` is the provider's own word, or
 * Herald's word for why there was no answer. Each is null when there is none.
 */
export type CheckedProvider = { ok: boolean; code: FailureCode | null; providerCode: string | null }

/**
 * Checks an app's credentials with a push that can reach no device, over a connection of its own. For Web Push only the key pair and the subject are
 * checked. `candidateId`: see `readCredentials`. Fault: rate_limited when too many run.
 */
export const checkProvider = call<CheckedProvider>()(
  'rpc.dispatcher.check-provider',
  z.object({ appId: Id, kind: z.enum(providerKinds), candidateId: Id.optional() }),
  // The call may take 5 s longer than the check itself, because the dispatcher may let a check wait behind others, and first reads the credentials.
  checkLimitMs + 5_000,
)
