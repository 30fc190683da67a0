import { HeraldError } from '@herald/node'
import { printable } from './printable.ts'
import type { Terminal } from './terminal.ts'

export type DoctorOptions = { app?: string; device?: string; within?: string; json?: boolean }

/** The result of one check of `herald doctor`. A `fault` must be mended, a `note` is only information, and `unknown` could not be checked. */
export type Finding = { check: string; state: 'ok' | 'note' | 'unknown' | 'fault'; says: string; remedy?: string }

const signs = { ok: 'ok   ', note: 'note ', unknown: '?    ', fault: 'FAULT' }

/** Prints findings as they come. Gives the exit code: 1 when something is to be mended, else 2 when something could not be checked. */
export async function tellFindings(terminal: Terminal, found: AsyncIterable<Finding>, { json }: DoctorOptions): Promise<number> {
  const findings: Finding[] = []
  for await (const finding of found) {
    findings.push(finding)
    if (!json) for (const line of linesOf(finding)) terminal.out(line)
  }
  const countOf = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length
  const [faults, unknown] = [countOf('fault'), countOf('unknown')]
  const toMend = faults === 0 ? 'Nothing is to be mended' : `${faults} to be mended`
  if (json) terminal.out(JSON.stringify({ findings }))
  else terminal.out(unknown === 0 ? `${toMend}.` : `${toMend}; ${unknown} could not be checked.`)
  return faults > 0 ? 1 : unknown > 0 ? 2 : 0
}

/** Gives the lines to print for a finding: one for the finding, and a second for its remedy if it has one. */
const linesOf = ({ check, state, says, remedy }: Finding): string[] => [
  `${signs[state]}  ${check.padEnd(13)}  ${printable(says)}`,
  ...(remedy === undefined ? [] : [`       ${''.padEnd(13)}  → ${printable(remedy)}`]),
]

/** Gives the finding of a check that Herald refused or did not answer. */
export function unknownFinding(check: string, error: unknown): Finding {
  if (!(error instanceof HeraldError)) throw error
  const remedy = error.is('forbidden') ? 'Use a key that has this scope too, or the administration token.' : undefined
  return { check, state: 'unknown', says: `It could not be checked: ${error.message}`, ...(remedy === undefined ? {} : { remedy }) }
}
