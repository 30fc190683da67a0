import { printable } from './printable.ts'

export type DoctorOptions = { app?: string; device?: string; within?: string; json?: boolean }

/** The result of one check of `herald doctor`. A `fault` must be mended; a `note` is only information. */
export type Finding = { check: string; state: 'ok' | 'note' | 'fault'; says: string; remedy?: string }

const signs = { ok: 'ok   ', note: 'note ', fault: 'FAULT' }

/** Gives the lines to print for a finding: one for the finding, and a second for its remedy if it has one. */
export const linesOf = ({ check, state, says, remedy }: Finding): string[] => [
  `${signs[state]}  ${check.padEnd(13)}  ${printable(says)}`,
  ...(remedy === undefined ? [] : [`       ${''.padEnd(13)}  → ${printable(remedy)}`]),
]
