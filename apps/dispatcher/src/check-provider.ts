import type { ProviderKind } from '@herald/contracts/app'
import { checkLimitMs, type CheckedProvider } from '@herald/contracts/calls/dispatcher'
import { readCredentials } from '@herald/contracts/calls/gateway'
import { waitAtMost } from '@herald/service/wait-at-most'
import type { Answer } from './core/answer.ts'
import { checkedBy } from './core/answer-meaning.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { Push, Transport } from './providers/provider.ts'

/**
 * Finds out whether a provider takes an app's credentials, or a candidate (spec: providers/check). No device gets a push, no circuit learns the answer.
 * Unless Herald finds a mistake itself, it asks over the check's own connection, if possible.
 */
export async function checkProvider(
  { bus, transports, providers }: Dispatcher,
  { appId, kind, candidateId }: { appId: string; kind: ProviderKind; candidateId?: string | undefined },
): Promise<CheckedProvider> {
  const { credentials } = await bus.call(readCredentials, { appId, kind, candidateId })
  const provider = Object.values(providers).find((one) => one.kind === kind)
  if (!credentials || !provider) return { ok: false, code: 'not_configured', providerCode: null }
  const mistake = provider.mistakeIn(credentials)
  if (mistake !== null) return { ok: false, code: 'credentials_invalid', providerCode: mistake }

  const opened = transports.openForCheck(appId, credentials)
  try {
    return checkedBy(provider.answers, await answerWithin(checkLimitMs, opened.transport, provider.checkPush))
  } finally {
    opened.close()
  }
}

/** Sends a push and gives the provider's answer. When no answer comes within `ms`, gives a time-out. Rejects when Herald itself made a mistake. */
async function answerWithin(ms: number, transport: Transport, push: Push): Promise<Answer> {
  const answered = new Promise<Answer>((resolve, reject) =>
    transport.send(push, (answer) => (answer instanceof Error ? reject(answer) : resolve(answer))),
  )
  return waitAtMost(ms, answered, () => ({ is: 'unanswered', why: 'timeout', reason: '' }))
}
