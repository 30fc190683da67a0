/** A spreadsheet takes a cell that begins with one of these for a formula. */
const formula = /^[=+\-@\t\r]/

/**
 * A cell of a CSV (RFC 4180). A text that a spreadsheet would run as a formula gets an apostrophe before it and shows as text: a stranger may have
 * written it, and it must not run for whoever opens the file.
 */
export function csvCell(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A line of a CSV with its line end. */
export const csvLine = (values: readonly (string | number | null)[]): string => `${values.map(csvCell).join(',')}\r\n`
