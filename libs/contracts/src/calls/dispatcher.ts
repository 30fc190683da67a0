import { z } from 'zod'
import { providerKinds } from '../app.ts'
import { call } from '../call.ts'
import type { FailureCode } from '../outcome.ts'

const Id = z.string().length(24)

/** How long a check may take, from connecting to the provider to its answer. */
export const checkLimitMs = 10_000

/** Whether a provider accepts an app's credentials. `code` is what a push would fail with, and `providerCode` is the provider's own word; each is null when there is none. */
export type CheckedProvider = { ok: boolean; code: FailureCode | null; providerCode: string | null }

/**
 * Checks an app's credentials by a request to the provider, over a connection of its own, with a push that can reach no device. Web Push has more than one
 * provider: there only the key pair and the subject are checked. Fault: rate_limited when too many checks run at once.
 */
export const checkProvider = call<CheckedProvider>()(
  'rpc.dispatcher.check-provider',
  z.object({ appId: Id, kind: z.enum(providerKinds) }),
  // The check may wait for its turn, and reads the credentials before it asks the provider.
  checkLimitMs + 5_000,
)
