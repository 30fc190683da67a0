import { remedies } from '@herald/contracts/remedies'
import type { StepOf } from '@herald/contracts/explain'
import type { Fact } from './explain-facts.ts'

const isFailureCode = (code: string): code is keyof typeof remedies => code in remedies

/** What to do about the code that a station ended or waits with, as a sentence. Null: nothing is to be done, or there is no code. */
export function remedyOfCode(facts: readonly Fact[], attempts: StepOf<'attempts'>['attempts']): string | null {
  const said = facts.find(({ label }) => label === 'Code' || label === 'The way to the provider is closed because of')?.value
  const code = said ?? attempts.at(-1)?.code ?? null
  if (code === null || !isFailureCode(code)) return null
  const remedy = remedies[code]
  return remedy === null ? null : `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.`
}
