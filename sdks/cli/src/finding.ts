import { printable } from './printable.ts'

export type DoctorOptions = { app?: string; device?: string; within?: string; json?: boolean }

/** A finding of the doctor. A `fault` must be mended; a `note` is good to know. */
export type Finding = { check: string; state: 'ok' | 'note' | 'fault'; says: string; remedy?: string }

const signs = { ok: 'ok   ', note: 'note ', fault: 'FAULT' }

/** A finding as a line, and its remedy as another. */
export const linesOf = ({ check, state, says, remedy }: Finding): string[] => [
  `${signs[state]}  ${check.padEnd(13)}  ${printable(says)}`,
  ...(remedy === undefined ? [] : [`       ${''.padEnd(13)}  → ${printable(remedy)}`]),
]
