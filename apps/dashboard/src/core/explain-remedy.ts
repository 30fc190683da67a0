import type { StepOf } from '@herald/contracts/explain'
import { remedies, remedyOf } from '@herald/contracts/remedies'
import type { Fact } from './explain-facts.ts'
import type { PlatformName } from './platform-names.ts'

const kinds = { ios: 'apns', android: 'fcm', web: 'webpush' } as const

const isFailureCode = (code: string): code is keyof typeof remedies => Object.hasOwn(remedies, code)

/** What to do about the code that a station ended or waits with, as a sentence. Null: nothing is to be done, or there is no code. */
export function remedyOfCode(
  facts: readonly Fact[],
  attempts: StepOf<'attempts'>['attempts'],
  platform: PlatformName | null,
): string | null {
  const last = attempts.at(-1)
  const code = facts.find((fact) => fact.code !== undefined)?.code ?? last?.code ?? null
  if (code === null || platform === null || !isFailureCode(code)) return null
  return remedyOf(kinds[platform], code, last?.providerCode ?? null)
}
