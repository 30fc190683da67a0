import type { StepOf } from '@herald/contracts/explain'
import { splitWindow } from './app-settings.ts'
import { some } from './spans.ts'

/** Says in a sentence how a push ended. */
export function headlineOfOutcome({ outcome, code, providerCode }: StepOf<'outcome'>): string {
  if (outcome === 'sent') return 'Accepted by the provider.'
  if (outcome === 'past_retention') return 'The outcome is no longer stored.'
  if (code === 'frequency_cap') return 'Skipped: frequency cap reached.'
  return `${outcome === 'failed' ? 'Failed' : 'Skipped'}: ${code ?? 'no code'}${providerCode ? ` (${providerCode})` : ''}.`
}

/** Writes seconds in the largest unit in which they are a whole number. */
export function inWords(seconds: number): string {
  const { count, unit } = splitWindow(seconds)
  return some(count, unit.slice(0, -1), unit)
}
