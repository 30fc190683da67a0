import type { Platform } from '@herald/contracts/platform'
import { remedyFor, type Remedy } from '@herald/contracts/code-meanings'

export type CodeRow = {
  outcome: 'failed' | 'skipped'
  code: string
  count: number
  byPlatform: { platform: Platform; count: number }[]
  remedy: Remedy
}

/** Skips that a setting, an operator or the person wanted. */
const wanted = new Set(['opted_out', 'unsubscribed', 'holdout', 'frequency_cap', 'quiet_hours', 'cancelled'])

/** Says whether a code asks the operator to act. */
export const needOf = ({ code, remedy }: CodeRow): { kind: 'off' | 'good' | 'warning'; words: string } =>
  wanted.has(code)
    ? { kind: 'off', words: 'Working as configured' }
    : remedy.repairsItself
      ? { kind: 'good', words: 'No action needed' }
      : { kind: 'warning', words: 'Action required' }

/** Gives the failure codes and skip reasons of a send with their remedies: failures before skips, frequent codes before rare ones. */
export function codeRows(codes: readonly { platform: Platform; outcome: string; code: string; count: number }[]): CodeRow[] {
  const rows = new Map<string, CodeRow>()
  for (const { platform, outcome, code, count } of codes) {
    if ((outcome !== 'failed' && outcome !== 'skipped') || count === 0) continue
    const key = `${outcome} ${code}`
    const row = rows.get(key) ?? { outcome, code, count: 0, byPlatform: [], remedy: remedyFor(code) }
    row.count += count
    row.byPlatform.push({ platform, count })
    rows.set(key, row)
  }
  return [...rows.values()].toSorted((a, b) => a.outcome.localeCompare(b.outcome) || b.count - a.count || a.code.localeCompare(b.code))
}
