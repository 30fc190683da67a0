import { z } from 'zod'
import { providerKinds } from '../app.ts'
import { call } from '../call.ts'
import type { FailureCode } from '../outcome.ts'

const Id = z.string().length(24)

/** How long a provider is asked, in all. */
export const checkLimitMs = 10_000

/** Whether a provider takes an app's credentials. `code` says what a push would fail with, and `providerCode` is the provider's own word; null: there is none. */
export type CheckedProvider = { ok: boolean; code: FailureCode | null; providerCode: string | null }

/**
 * Asks the provider now, over a connection of its own, with a push that can reach nobody. Web Push has no one provider: there the key pair and the
 * subject are looked at. Fault: rate_limited when too many are asked at once.
 */
export const checkProvider = call<CheckedProvider>()(
  'rpc.dispatcher.check-provider',
  z.object({ appId: Id, kind: z.enum(providerKinds) }),
  // Until its turn comes, the credentials are read and the provider has answered.
  checkLimitMs + 5_000,
)
