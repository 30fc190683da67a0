import type { ProviderKind } from '@herald/contracts/app'
import { checkLimitMs, type CheckedProvider } from '@herald/contracts/calls/dispatcher'
import { readCredentials } from '@herald/contracts/calls/gateway'
import { isReachableSubject } from '@herald/contracts/push-subject'
import { subjectWord } from '@herald/contracts/remedies'
import type { Bus } from '@herald/service/bus'
import type { Answer } from './core/answer.ts'
import { checkedBy, checkPush } from './core/check.ts'
import type { Transports } from './open-transports.ts'
import type { Push, Transport } from './transports/transport.ts'

/**
 * Asks a provider whether it takes an app's credentials as they are now (spec: providers/check). Nobody gets a push, and no circuit hears of it: the way there
 * is opened for this and closed again.
 */
export async function checkProvider(
  { bus, transports }: { bus: Bus; transports: Transports },
  { appId, kind }: { appId: string; kind: ProviderKind },
): Promise<CheckedProvider> {
  const { credentials } = await bus.call(readCredentials, { appId, kind })
  if (!credentials) return { ok: false, code: 'not_configured', providerCode: null }
  if (credentials.kind === 'webpush' && !isReachableSubject(credentials.subject))
    return { ok: false, code: 'credentials_invalid', providerCode: subjectWord }

  const opened = transports.openForCheck(appId, credentials)
  try {
    const answer = await answerWithin(checkLimitMs, opened.transport, checkPush[kind])
    return checkedBy(kind, answer)
  } finally {
    opened.close()
  }
}

/** What the push is answered; what takes longer is a time-out. Rejects for a mistake of ours. */
async function answerWithin(ms: number, transport: Transport, push: Push): Promise<Answer> {
  const late = Promise.withResolvers<Answer>()
  const timer = setTimeout(() => late.resolve({ is: 'unanswered', why: 'timeout', reason: '' }), ms)
  const answered = new Promise<Answer>((resolve, reject) =>
    transport.send(push, (answer) => (answer instanceof Error ? reject(answer) : resolve(answer))),
  )
  try {
    return await Promise.race([answered, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
