/** A spreadsheet takes a cell that begins with one of these characters for a formula. */
const formula = /^[=+\-@\t\r]/

/**
 * Writes a cell of a CSV (RFC 4180). A value that a spreadsheet would run as a formula gets an apostrophe before it: a stranger may have written it,
 * and it must not run for an operator.
 */
export function csvCell(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Writes a line of a CSV with its line end. */
export const csvLine = (values: readonly (string | number | null)[]): string => `${values.map(csvCell).join(',')}\r\n`
