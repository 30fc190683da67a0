import { providerOf } from '@herald/contracts/app'
import type { StepOf } from '@herald/contracts/explain'
import { remedies, remedyOf } from '@herald/contracts/remedies'
import type { Fact } from './explain-facts.ts'
import type { Platform } from '@herald/contracts/platform'

const isFailureCode = (code: string): code is keyof typeof remedies => Object.hasOwn(remedies, code)

/** Says what to do about the code with which a push ended or waits; null when there is no code or nothing to do. */
export function remedyOfCode(facts: readonly Fact[], attempts: StepOf<'attempts'>['attempts'], platform: Platform | null): string | null {
  const last = attempts.at(-1)
  const code = facts.find((fact) => fact.code !== undefined)?.code ?? last?.code ?? null
  if (code === null || platform === null || !isFailureCode(code)) return null
  return remedyOf(providerOf[platform], code, last?.providerCode ?? null)
}
